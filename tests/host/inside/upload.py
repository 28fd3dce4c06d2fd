# SPDX-License-Identifier: GPL-2.0-or-later
"""One TCP upload between two network namespaces: ``upload.py receive|send ...``.

    upload.py receive PORT [RCVBUF]
    upload.py send ADDRESS PORT SECONDS [CONTROL | PACE | @DEVICE]

The sender always has something to send, and prints how many bytes the socket took. PACE is its
SO_MAX_PACING_RATE, in bytes per second, and DEVICE what it is bound to.
"""

import os
import socket
import sys
import time

RECEIVED_BYTES = 16 << 20  # at a time


def receive(port, buffer=0):
    """Take whatever comes, from one sender after the other.

    It reads at once and copies nothing, as the lab's receiver does: where data waits to be read,
    ACKs wait, too.
    """
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    nowhere = bytearray(RECEIVED_BYTES)
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if buffer:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    listening.bind(("0.0.0.0", port))
    listening.listen()
    while True:
        connection, _ = listening.accept()
        while connection.recv_into(nowhere, 0, socket.MSG_TRUNC | socket.MSG_WAITALL):
            pass
        connection.close()


SO_MAX_PACING_RATE = 47


def send(address, port, seconds, choice=""):
    """Send for so long."""
    sending = socket.socket()
    if choice.isdigit():
        sending.setsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, int(choice))
    elif choice.startswith("@"):
        sending.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, choice[1:].encode())
    elif choice:
        sending.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, choice.encode())
    sending.connect((address, port))
    end, taken, data = time.monotonic() + seconds, 0, bytes(1 << 17)
    while time.monotonic() < end:
        taken += sending.send(data)
    print(taken)


if __name__ == "__main__":
    what, *words = sys.argv[1:]
    if what == "receive":
        receive(*map(int, words))
    else:
        send(words[0], int(words[1]), float(words[2]), *words[3:])
