# SPDX-License-Identifier: GPL-2.0-or-later
"""What costs too much is refused when the file is read: with the key, the line and the bound."""

import re

import pytest

from tsqlab.airlink.uapi import ProfileAttribute
from tsqlab.errors import FileError, UsageError
from tsqlab.experiment.load import CELLS_MAX, ID_BYTES_MAX, load
from tsqlab.experiment.profile import _KEYS, Airlink, load_profile
from tsqlab.experiment.spec import TABLES
from tsqlab.paths import KERNEL_MODULES, ROOT
from tsqlab.units import Duration, Rate, Size

DIGITS = "9" * 5000


def file(tmp_path, text):
    path = tmp_path / "test.toml"
    path.write_text(f'title = "A test"\n{text}\n')
    return str(path)


@pytest.mark.parametrize(
    ("text", "key", "message"),
    [
        ('[flows]\nlength = "1441 min"', "flows.length", "expected 0 s to 1440 min"),
        (f'[flows]\nlength = "{DIGITS} s"', "flows.length", "expected a number with a unit"),
        ('[flows]\nlength = "99999999999 min"', "flows.length", "is more than 9223372036854775807"),
        ('[flows]\ndelay = "1441 min"', "flows.delay", "expected 0 s to 1440 min"),
        ('[flows]\nlength = "20000 s"', "flows.length", "are 200100 steps; expected 100000"),
        ('[flows]\nudp_rate = "101 Gbit/s"', "flows.udp_rate", "expected 0 bit/s to 100 Gbit/s"),
        ("[flows]\nstreams = 1001", "flows.streams", "expected 1000 at most, not 1001"),
        ('[lab]\nmemory = "4 GiB"', "lab.memory", "expected 64 MiB to 3 GiB"),
        ('[lab]\nmemory = "1024 KiB"', "lab.memory", 'expected 64 MiB to 3 GiB, not "1 MiB"'),
        ('[testbed]\negress."C>R".delay = "61 s"', "testbed.egress.C>R.delay",
         "expected 0 s to 60 s"),
        ('[testbed]\negress."C>R".rate = "0 bit/s"', "testbed.egress.C>R.rate", "1 kbit/s to 100"),
        ('[testbed]\nsysctl.C."a.b" = "1\\n2"', "testbed.sysctl.C.a.b", "a line of up to 200"),
        ('[sender]\ntruesize = "1 MiB"', "sender.truesize", "expected 1500 B to 64 KiB"),
        (f'[sender]\ncongestion_control = "{"x" * 16}"', "sender.congestion_control", "up to 15"),
        (f'[testbed]\nqdisc = "fq {"x" * 5000}"', "testbed.qdisc", "options of a qdisc are words"),
    ],
)  # fmt: skip
def test_what_costs_too_much(text, key, message, tmp_path):
    with pytest.raises(FileError, match=re.escape(message)) as caught:
        load(file(tmp_path, text))
    assert (caught.value.key, caught.value.line) == (key, 3)
    assert len(str(caught.value)) < 500


def test_flows_times_samples(tmp_path):
    text = '[flows]\nlength = "100 s"\nstreams = 1000'
    with pytest.raises(FileError, match="1005 flows, pings and egresses have 1105500 samples") as c:
        load(file(tmp_path, text))
    assert (c.value.key, c.value.line) == ("flows.length", 3)
    assert load(file(tmp_path, text.replace("100 s", "60 s"))).cells


def test_cells_of_a_matrix(tmp_path):
    hundred = list(range(1, 101))
    text = f"[matrix]\nseed = {hundred}\nstreams = {hundred}\nmtu = [1500, 9000]"
    with pytest.raises(FileError, match=f"has 20000 cells; expected {CELLS_MAX} at most") as caught:
        load(file(tmp_path, text))
    assert (caught.value.key, caught.value.line) == ("matrix", 2)
    numbers = list(range(CELLS_MAX + 1))
    with pytest.raises(FileError, match=f"has {CELLS_MAX + 1} cells"):
        load(file(tmp_path, ""), [f"seed={numbers}"])


@pytest.mark.parametrize("level", ["x" * 400, "ä" * 100])
def test_a_level_that_is_no_name_of_a_file(level, tmp_path):
    text = f'[matrix]\nseed = [1, 2]\nkernel = ["6.12", "{level}"]'
    message = (
        rf"the name of the cell seed=1,kernel=.*\.\.\. has \d+ bytes; .* {ID_BYTES_MAX}: write"
    )
    with pytest.raises(FileError, match=message) as caught:
        load(file(tmp_path, text))
    assert (caught.value.key, caught.value.line) == ("matrix.kernel", 4)


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("seed=1\nmtu=9000", "one line of printable characters"),
        ("mtu\n=9000", "one line of printable characters"),
        ("kernel=\udcff", "one line of printable characters"),
        (f"seed={DIGITS}", "expected an integer of 64 bits"),
        (f"seed={'[' * 3000}{']' * 3000}", "nested too deeply"),
        (f"{'x.' * 3000}x=1", "can vary or be set; there are layout, device"),
        ("sender.tsq.us.x.y=1", "sender.tsq.us: input should be a valid integer"),
        ("testbed.mtu.x=1", "input should be a valid integer"),
    ],
)
def test_overrides_that_are_none(override, message, tmp_path):
    with pytest.raises(UsageError, match=message) as caught:
        load(file(tmp_path, ""), [override])
    # What was given is cut; the keys may be listed.
    keys = ", ".join(key for table in TABLES.values() for key in table.model_fields)
    assert len(str(caught.value)) < 300 + len(keys)


def test_a_key_below_what_is_no_table(tmp_path):
    text = "testbed = 5\n[matrix]\nseed = [1]\nmtu = [1500]"
    with pytest.raises(FileError, match="testbed.mtu cannot be set") as caught:
        load(file(tmp_path, text))
    assert (caught.value.key, caught.value.line) == ("matrix.mtu", 5)
    with pytest.raises(UsageError, match="--set mtu=9000: testbed.mtu cannot be set"):
        load(file(tmp_path, "testbed = 5"), ["mtu=9000"])


def test_the_docs_state_the_bounds():
    words = (ROOT / "docs" / "experiments.md").read_text()
    for bound in ("1440 min", "3 GiB", "100,000", "1,000,000", "10,000", "200 bytes"):
        assert bound in words


def test_a_profile_has_the_bounds_of_the_module():
    """What profile.c refuses in a guest is refused when the profile is read."""
    code = (KERNEL_MODULES / "airlink" / "radio" / "profile.c").read_text()
    limits = {"U32_MAX": (1 << 32) - 1}
    radio = load_profile("ath9k")
    known = {}
    for name, low, high in re.findall(r"BOUND\((\w+), (\d+), (\w+)\)", code):
        known[name] = (int(low), int(limits.get(high, high)))
    for attribute, (key, unit) in _KEYS.items():
        if attribute.name.lower() not in known or key in NO_NUMBERS:
            continue
        low, high = known.pop(attribute.name.lower())
        for value, good in ((low, True), (high, True), (low - 1, False), (high + 1, False)):
            data = {"kind": "airlink", "title": "x", "front": radio.front, "band": radio.band,
                    "rate": radio.rate, "ethernet": radio.ethernet,
                    **WITH.get(key, {}), key: quantity(key, value * unit)}  # fmt: skip
            assert accepted(data) == good, (key, value)
    assert set(known) == NO_NUMBERS
    assert ProfileAttribute.AGGREGATE_US in _KEYS


NO_NUMBERS = {"device_queues", "receive_with_reports", "aql"}

# What goes with a value so that it may be as large, or as small, as it can be.
BUS = {"bus_frames": 1, "bus_bytes": Size(1), "bus_rate": Rate(10**6), "bus_transfers": 1}
WITH = {
    "aggregate_frames": {"window_frames": 256},
    "host_frames": {"resume_frames": 1},
    "resume_frames": {"host_frames": 1_000_000},
    "receive_wait": {"receive_wait_max": Duration.of("1 s")},
    "bus_frames": BUS,
    "bus_time": BUS,
}


def quantity(key, value):
    """A value of a profile in the type of its key; its text would not be exact for all units."""
    kinds = {"bytes": Size, "bytes_min": Size, "rate": Rate, "time": Duration, "wait": Duration,
             "density": Duration, "delay": Duration, "wait_max": Duration}  # fmt: skip
    for ending, kind in kinds.items():
        if key == ending or key.endswith(f"_{ending}"):
            return kind(value)
    return value


def accepted(data):
    try:
        Airlink.model_validate(data)
    except ValueError:
        return False
    return True
