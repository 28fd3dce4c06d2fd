# SPDX-License-Identifier: GPL-2.0-or-later
"""What of the host guests may see: where it really is decides, and its content is its key."""

import os
import socket
from pathlib import Path

import pytest

from tsqlab.guest import seen
from tsqlab.guest.seen import SeenError, look


@pytest.fixture
def home(tmp_path, monkeypatch):
    """The folder of an experiment in the home of a user who has secrets."""
    user = tmp_path / "user"
    (user / "lab").mkdir(parents=True)
    (user / ".ssh").mkdir()
    (user / ".ssh" / "id").write_text("secret")
    (user / ".cargo" / "bin").mkdir(parents=True)
    (user / ".cargo" / "bin" / "tool").write_text("tool")
    monkeypatch.setenv("HOME", str(user))
    return user / "lab"


def test_paths_start_at_the_experiment_and_links_are_followed(home):
    (home / "page").write_text("x")
    (home / "link").symlink_to("page")
    found = look({"/srv/a": "page", "/srv/b": "link", "/srv/c": str(home / "page")}, home)
    assert set(found.shown.values()) == {home / "page"}
    assert look({"/opt/tool": "~/.cargo/bin/tool"}, home).shown["/opt/tool"].name == "tool"


def test_nothing_is_seen_where_nothing_is_said(home):
    assert look({}, home) == seen.Seen()


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nothing", "No such file or directory"),
        ("/", "is of the system|has homes in it"),
        ("/etc/passwd", "/etc/passwd is of the system"),
        ("/proc/self/environ", "is of the system"),
        ("/dev/null", "is of the system"),
        ("..", "is a home, or has homes in it"),
        ("~", "is a home, or has homes in it"),
        ("/home", "No such file|is a home, or has homes in it"),
        ("~/.ssh/id", r"\.ssh is hidden, as what is private is"),
        ("~/.ssh", r"\.ssh is hidden"),
        ("~/.cargo", r"\.cargo is hidden"),
        ("away", r"\.ssh is hidden"),
        ("password", "/etc/passwd is of the system"),
        ("loop", "."),
        ("~nobody-of-that-name/x", "cannot be seen"),
    ],
)
def test_what_is_nobodys_business_is_refused(home, path, message):
    (home / "away").symlink_to("../.ssh/id")
    (home / "password").symlink_to("/etc/passwd")
    (home / "loop").symlink_to("loop")
    with pytest.raises(SeenError, match=message) as error:
        look({"/srv/a": path}, home)
    assert error.value.there == "/srv/a"


def test_an_experiment_in_a_hidden_folder_sees_what_is_beside_it(home):
    inside = home.parent / ".lab" / "mine"
    inside.mkdir(parents=True)
    (inside / "page").write_text("x")
    assert look({"/srv/a": "page"}, inside).shown == {"/srv/a": inside / "page"}


def test_sockets_pipes_and_devices_are_refused(home):
    folder = home / "folder"
    folder.mkdir()
    os.mkfifo(folder / "pipe")
    with pytest.raises(SeenError, match="pipe is a socket, a pipe or a device"):
        look({"/srv/a": "folder"}, home)
    (folder / "pipe").unlink()
    with socket.socket(socket.AF_UNIX) as listening:
        there = os.open(folder, os.O_RDONLY)  # a socket's path may be of 107 bytes
        listening.bind(f"/proc/self/fd/{there}/s")
        os.close(there)
        with pytest.raises(SeenError, match="is a socket, a pipe or a device"):
            look({"/srv/a": "folder"}, home)


def change_content(folder):
    (folder / "b" / "page").write_text("y")


def change_mode(folder):
    (folder / "b" / "page").chmod(0o755)


def change_name(folder):
    (folder / "b" / "page").rename(folder / "b" / "other")


def change_link(folder):
    (folder / "link").unlink()
    (folder / "link").symlink_to("b/page")


@pytest.mark.parametrize("change", [change_content, change_mode, change_name, change_link])
def test_a_key_is_of_all_that_there_is(home, change):
    def made(name):
        folder = home / name
        (folder / "b").mkdir(parents=True)
        (folder / "b" / "page").write_text("x")
        (folder / "b" / "page").chmod(0o644)
        (folder / "link").symlink_to("nowhere")
        return folder

    made("first")
    second = made("second")
    assert look({"/srv": "first"}, home).key == look({"/srv": "second"}, home).key
    assert look({"/srv": "first"}, home).key != look({"/opt": "first"}, home).key
    change(second)
    assert look({"/srv": "first"}, home).key != look({"/srv": "second"}, home).key


def test_what_a_guest_of_root_could_not_read_is_said(home, monkeypatch):
    monkeypatch.setattr(seen, "becomes_nobody", lambda: True)
    (home / "page").write_text("x")
    (home / "page").chmod(0o600)
    with pytest.raises(SeenError, match=r"a guest may not read .*page; chmod -R o\+rX"):
        look({"/srv/a": "page"}, home)


def test_there_is_a_limit(home, monkeypatch):
    monkeypatch.setattr(seen, "BYTES_MAX", 10)
    (home / "page").write_text("x" * 10)
    with pytest.raises(SeenError, match="it has more than 20000 files or 0 GiB"):
        look({"/srv/a": "page"}, home)
    monkeypatch.setattr(seen, "FILES_MAX", 2)
    for name in "abc":
        Path(home / "many" / name).mkdir(parents=True)
    with pytest.raises(SeenError, match="it has more than 2 files"):
        look({"/srv/a": "many"}, home)
