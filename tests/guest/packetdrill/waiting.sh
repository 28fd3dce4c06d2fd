#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Fails unless so many packets wait in the qdisc.
waiting=$(tc -s qdisc show dev tun0 | sed -n 's/.*backlog .*b \([0-9]*\)p.*/\1/p')
test "$waiting" = "$1" && exit
echo "$waiting packets wait in the qdisc, not $1" >&2
exit 1
