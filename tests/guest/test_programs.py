# SPDX-License-Identifier: GPL-2.0-or-later
"""[[program]] in guests: what docs/programs.md shows and promises, program by program.

The versions of curl and iperf3 may differ from those of the page, and move a number a little.
"""

import functools
import json
import re
import shutil
import subprocess
from urllib.parse import quote

import pytest

from gallery import sections
from tsqlab.cli import main
from tsqlab.experiment.load import load
from tsqlab.experiment.stored import read_folder
from tsqlab.guest.boot import Machine
from tsqlab.paths import ROOT
from tsqlab.report import summary_table
from tsqlab.results.flent import read_flent
from tsqlab.runner import cell as cells
from tsqlab.runner.cell import CellError, run_cell
from tsqlab.runner.experiment import jobs_of

FILES = ROOT / "experiments" / "gallery" / "programs"
QUIC = FILES / "quic" / "quic"
PAGE = {section.name: section for section in sections(ROOT / "docs" / "programs.md", level=3)}
HEAD = 'title = "x"\n[flows]\ntest = "ping"\nlength = "1 s"\ndelay = "100 ms"\n'


def needs(name, package=""):
    found = shutil.which(name, path="/usr/bin")
    reason = f"no {name} in /usr/bin: apt-get install {package or name}"
    return pytest.mark.skipif(not found, reason=reason)


needs_quic = pytest.mark.skipif(
    not QUIC.is_file(), reason=f"no {QUIC}: docs/programs.md says how it is built"
)


@pytest.fixture
def run(kernel, tmp_path, cpu):
    """Run the only cell of an experiment; the job, whose folder has what it leaves."""

    def one(text, name="x"):
        home = tmp_path / name
        home.mkdir()
        (home / "x.toml").write_text(text)
        (home / "page").write_text("a page\n")
        (job,) = jobs_of(load(str(home / "x.toml")), home / "results", lambda _: kernel)
        run_cell(job, cpu)
        return job

    return one


def program(command, *lines):
    return "\n".join(["[[program]]", 'node = "C"', f"command = {json.dumps(command)}", *lines, ""])


def sh(script, *lines):
    return program(["sh", "-c", script], *lines)


def printed(job, name="1"):
    out, err, how = job.outputs[name]
    return out.read_text(), err.read_text(), json.loads(how.read_text())


def numbers(text):
    return [float(number) for number in re.findall(r"(?<![\w.])[0-9.]+(?![\w.])", text)]


def shown(name, kernel, folder):
    assert kernel, "a run would build it"
    path = FILES / f"{name}.toml"
    assert main(["run", str(path), "--jobs", "1", "--out", str(folder)]) == 0
    return f"{summary_table(read_folder(folder))}\n"


@pytest.mark.parametrize(
    "name",
    [pytest.param("curl", marks=needs("curl")), pytest.param("iperf3", marks=needs("iperf3"))],
)
def test_the_sessions_of_the_page(name, kernel, tmp_path):
    table, page = shown(name, kernel, tmp_path), PAGE[name]
    assert numbers(table) == pytest.approx(numbers(page.table), rel=0.05)
    assert set(numbers(page.answer)) <= {*numbers(page.table), 0.5}


@needs_quic
def test_quic_and_tcp_share_a_link_and_both_are_captured(kernel, tmp_path):
    """Half of 20 Mbit/s each, less the headers: in any case more than a third of it."""
    shown("quic-beside-tcp", kernel, tmp_path)
    content = read_folder(tmp_path)
    for result in content.results:
        shares = [result.metrics[name] for name in ("goodput_mbps", "program.quic.goodput_mbps")]
        assert min(shares) > 6
        assert 17 < sum(shares) < 20
        (series,) = (one.series["goodput_mbps"] for one in result.trace.programs if one.series)
        assert len(series.value) > 70
        assert series.value.mean() == pytest.approx(shares[1], rel=0.05)
    page = (tmp_path / "report.html").read_text()
    assert 'href="./programs/' in page
    for row in content.manifest.cells:
        for name in row.pcaps.values():
            assert quote(name) in page
            kinds = kinds_in(tmp_path / "pcaps" / name)
            assert min(kinds["udp"], kinds["tcp"]) > 4_000, (name, kinds)


def kinds_in(pcap):
    """How many packets of QUIC's port and of the flow's are in a capture."""
    fields = ["-T", "fields", "-e", "udp.port", "-e", "tcp.port"]
    command = ["tshark", "-r", str(pcap), *fields]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = [line.split("\t") for line in text.splitlines()]
    return {
        "udp": sum("4433" in udp for udp, _ in rows),
        "tcp": sum("5001" in tcp for _, tcp in rows),
    }


@needs("curl")
def test_a_cell_repeats_and_so_does_what_its_programs_print(run):
    """Ports, keys and random numbers are the guest's."""
    text = HEAD + sh("od -An -N8 -tx8 /dev/urandom; date +%s.%N; echo $$") + program(
        "python3 -m http.server 8000", 'name = "web"', 'stop = "end"'
    ) + program("curl -sv http://C:8000/", 'name = "get"')  # fmt: skip
    jobs = [run(text, name) for name in ("first", "second")]
    first, second = ([job.file.read_bytes(), *(path.read_bytes() for paths in job.outputs.values()
                      for path in paths)] for job in jobs)  # fmt: skip
    assert first == second
    out, err, _ = printed(jobs[0], "get")
    assert "Directory listing" in out
    assert "Connected to C (10.0.1.1) port 8000" in err
    assert "GET / HTTP" in printed(jobs[0], "web")[1]
    other = run(text.replace("[flows]", "[lab]\nseed = 2\n[flows]"), "third")
    assert printed(other)[0] != printed(jobs[0])[0]


def test_the_rest_of_a_cell_is_as_without(run):
    """Nothing of this cell is chance, so that all of its numbers are the same."""
    text = 'title = "x"\n[testbed]\nbase_rtt = "4 ms"\negress."C>R".rate = "20 Mbit/s"\n' \
           '[flows]\nlength = "2 s"\ndelay = "200 ms"\n'  # fmt: skip
    alone = read_flent(run(text, "alone").file)
    busy = sh("for i in 1 2 3 4 5; do head -c 100000 /dev/urandom | md5sum; sleep 0.3; done")
    beside = read_flent(run(text + busy, "beside").file)
    assert beside["raw_values"] == alone["raw_values"]
    assert beside["results"] == alone["results"]


def test_what_a_program_is_given(run):
    text = HEAD + sh(
        "pwd; cat page; echo $WORD; touch page || echo refused; ls -d /home /root /opt; cat",
        'folder = "/srv"', 'see."/srv/page" = "page"', 'environment.WORD = "a b"',
        "may_fail = true",
    )  # fmt: skip
    out, err, how = printed(run(text))
    assert out == "/srv\na page\na b\nrefused\n"
    assert "Read-only file system" in err
    assert "cannot access '/home'" in err
    assert (how["status"], how["begin_s"], how["stopped"]) == (0, 0.1, False)


def test_when_programs_run(run):
    """From 1 s before the measurement to its end, or as is said; both by the guest's clock."""
    now = "date +%s.%N; sleep 0.25"
    text = HEAD + sh(f"{now}; sleep 100", 'stop = "end"') + sh(now, 'start = "300 ms"')
    job = run(text)
    (server, _, server_end), (client, _, client_end) = printed(job, "1"), printed(job, "2")
    assert float(server) - 1_700_000_010 == pytest.approx(-1, abs=1e-3)
    assert float(client) - 1_700_000_010 == pytest.approx(0.4, abs=1e-3)
    assert server_end["end_s"] == pytest.approx(1.2, abs=1e-3)
    assert client_end["end_s"] == pytest.approx(0.65, abs=1e-3)
    assert (server_end["stopped"], server_end["signal"]) == (True, 15)


def test_one_that_is_stopped_may_write_its_last_words_for_100_ms(run):
    words = "trap 'echo told; exit 0' TERM; sleep 100 & wait"
    deaf = "trap '' TERM; sleep 100"
    job = run(HEAD + sh(words, 'stop = "200 ms"') + sh(deaf, 'stop = "200 ms"'))
    (out, _, asked), (_, _, killed) = printed(job, "1"), printed(job, "2")
    assert out == "told\n"
    assert (asked["stopped"], asked["status"], asked["signal"]) == (True, 0, None)
    assert asked["end_s"] == pytest.approx(0.3, abs=1e-3)
    assert (killed["stopped"], killed["status"], killed["signal"]) == (True, None, 9)
    assert killed["end_s"] == pytest.approx(0.4, abs=1e-3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (sh("echo first; echo wrong >&2; exit 3"),
         "^the cell: program \"1\" in C returned 3\n  \\$ sh -c 'echo first; .*'\n  wrong$"),
        (sh("kill -SEGV $$"), "was ended by SIGSEGV"),
        (sh("sleep 100"), "still runs at the end, after 1.1 s; one that may has stop"),
        (sh("echo 1", "[[program.figure]]", 'name = "a"', 'regex = "(2)"'),
         "a: found nothing by '\\(2\\)' in stdout, whose last line is '1'"),
        (program("env --no-such-option"), "returned 125\n(.|\n)*unrecognized option"),
    ],
)  # fmt: skip
def test_a_program_that_fails_fails_its_cell_with_its_last_words(run, tmp_path, text, message):
    with pytest.raises(CellError, match=message):
        run(HEAD + text)
    folder = tmp_path / "x" / "results"
    assert not (folder / "cell.flent.gz").exists()
    assert (folder / "programs" / "cell-1.out").exists(), "what it has printed stays"


def test_one_that_may_fail_does_not(run):
    assert printed(run(HEAD + sh("exit 3", "may_fail = true")))[2]["status"] == 3


def test_who_stops_time_is_named(run, monkeypatch):
    monkeypatch.setattr(cells, "Machine", functools.partial(Machine, stuck_after_s=10.0))
    text = HEAD + sh("while :; do :; done", 'name = "spin"', 'start = "500 ms"') + sh("sleep 0.1")
    with pytest.raises(CellError, match='this program runs and never waits .*: "spin" in C'):
        run(text)


def test_patience_lets_time_pass(run):
    """To programs that ask times(2) until half a second is over, or yield ten thousand times."""
    waits = "begun = os.times().elapsed\nwhile os.times().elapsed - begun < 0.5: pass"
    scripts = (f"import os; exec({waits!r})", "import os; [os.sched_yield() for _ in range(10**4)]")
    text = HEAD + "".join(
        program(["python3", "-c", script], 'preload = ["patience"]') for script in scripts
    )
    job = run(text)
    ends = [printed(job, name)[2]["end_s"] - 0.1 for name in ("1", "2")]
    assert ends[0] == pytest.approx(0.5, abs=0.02)
    assert ends[1] == pytest.approx(0.01, abs=0.005)


@needs("ping", "iputils-ping")
def test_programs_run_over_a_radio_too(run):
    text = 'title = "x"\n[testbed]\nlayout = "wifi"\n[flows]\ntest = "ping"\nlength = "1 s"\n' \
           'delay = "0 s"\n'  # fmt: skip
    out, _, _ = printed(run(text + program("ping -n -c 3 -i 0.2 S")))
    assert "3 packets transmitted, 3 received" in out
