# SPDX-License-Identifier: GPL-2.0-or-later
"""The airlink radio module from outside: its netlink messages, and a live kernel's radios.

Nothing of the lab is needed: with the module of kernel/modules/airlink loaded, `live` makes
radios on any machine. The lab itself sends the same messages inside its guests.
"""
