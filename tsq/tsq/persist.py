# SPDX-License-Identifier: GPL-2.0-or-later
"""``--persist``: a unit of systemd's that applies the same again at each boot."""

from __future__ import annotations

import re

from tsq.changes import ABSENT, Change, File, Link
from tsq.devices import Device
from tsq.errors import TsqError
from tsq.host import Host
from tsq.timer import by_systemd, program

UNIT = "tsq.service"


def persisted(
    host: Host, device: Device, ms: float, method: str, *, host_wide: bool
) -> tuple[Change, ...]:
    """The files that have it at each boot. TsqError where there is no systemd to read them."""
    if not by_systemd(host):
        raise TsqError(
            "--persist: is for systemd, and the first network namespace; elsewhere have the "
            "commands of `tsq plan` run at boot"
        )
    words = [*program(), "apply", "--ms", f"{ms:g}", "--method", method, "--dev", device.name]
    words += ["--host-wide"] if host_wide else []
    path, link = host.units / UNIT, host.units / "multi-user.target.wants" / UNIT
    for one in (path, link):
        if one.exists() or one.is_symlink():
            raise TsqError(f"{one}: is there already, and not of this tsq; remove it first")
    return (
        File(str(path), ABSENT, unit(words)),
        # What `systemctl enable` does, in one step that can be told and undone.
        Link(str(link), ABSENT, f"../{UNIT}"),
    )


def unit(words: list[str]) -> str:
    """The unit's text."""
    return f"""\
# Written by tsq apply --persist; tsq undo removes it.
[Unit]
Description=TSQ's limit, as tsq was asked to keep it
Documentation=man:tsq(8)
Wants=network-online.target
After=network-online.target
# A device that comes late, a radio over USB say, is waited for.
StartLimitIntervalSec=1h
StartLimitBurst=20

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart={" ".join(_quoted(word) for word in words)}
Restart=on-failure
RestartSec=15

[Install]
WantedBy=multi-user.target"""


def _quoted(word: str) -> str:
    """A word as systemd.service(5) reads it, which is not as a shell does: in quotes, too, a
    backslash, a percent sign and a dollar mean something."""
    for letter, written in (("\\", r"\\"), ('"', r"\""), ("%", "%%"), ("$", "$$")):
        word = word.replace(letter, written)
    plain = re.fullmatch(r"[A-Za-z0-9_./:=,@+-]+", word)
    return word if plain else f'"{word}"'
