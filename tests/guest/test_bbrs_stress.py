# SPDX-License-Identifier: GPL-2.0-or-later
"""The controls of the module bbrs come and go: connections under loss that are reset half way.

In `make test` a few, in `make test-sanitized` a thousand, over a kernel that watches itself.
"""

from stress import SIGNS_OF_LIFE, afterwards, check, clock, run

MODULE = "module\t/tsqlab/modules/bbrs.ko"

# Each is sent to from both ends, changes its control half way every third time, and is reset
# with packets in flight: release() comes with and without an init() before.
CONNECTIONS = """\
import contextlib, socket, struct, sys, time
TCP, CONTROL = socket.IPPROTO_TCP, socket.TCP_CONGESTION
CONTROLS = [b"bbrplus", b"bbrdev", b"bbr_cycle", b"bbr2", b"bbr3"]
for number in range(*map(int, sys.argv[1:])):
    own, other = CONTROLS[number % 5], CONTROLS[number // 5 % 5]
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket() as client:
        listener.setsockopt(TCP, CONTROL, other)
        client.setsockopt(TCP, CONTROL, own)
        client.connect(listener.getsockname())
        with listener.accept()[0] as server:
            client.setblocking(False)
            server.setblocking(False)
            for turn in range(12):
                for end in (client, server):
                    with contextlib.suppress(BlockingIOError):
                        end.send(b"x" * 100000)
                    with contextlib.suppress(BlockingIOError):
                        end.recv(200000)
                if turn == 6 and number % 3 == 0:
                    client.setsockopt(TCP, CONTROL, other)
                time.sleep(0.003)
            for end in (client, server)[number % 2 :]:
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
"""


def test_connections_under_loss_come_and_go(guest, cycles, afterwards_s):
    t0_s = 10 + len(cycles) // 2  # a connection takes 40 ms, and a second more for each lost SYN
    files, check_leaks = afterwards(t0_s, "bbrs")
    files["connections"] = CONNECTIONS
    lines = [
        SIGNS_OF_LIFE,
        MODULE,
        run("ip", "link", "set", "lo", "up"),
        run("tc", "qdisc", "add", "dev", "lo", "root", "netem", "delay", "2ms", "loss", "5%"),
        run("python3", "/tsqlab/plan/connections", str(cycles[0]), str(cycles[-1] + 1)),
        *clock(t0_s, afterwards_s),
    ]
    check(guest(*lines, check_leaks, "end", batches=files))
