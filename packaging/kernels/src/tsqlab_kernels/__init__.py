# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernels for tsqlab that are built. tsqlab finds them by about.json; there is nothing to import.

linux/NAME/linux      User-Mode Linux, an executable
modules/NAME/*.ko     the lab's modules, built against it
agent/                the guest's first process, and libraries that programs are run with
wqm/wqm               the daemon of real hosts
programs/             what makes a testbed in a guest: ip, tc, iw, hostapd, and what they load
sources/              the sources of what is the lab's own, patches, and the options of kernels
"""
