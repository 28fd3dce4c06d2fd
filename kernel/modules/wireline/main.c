// SPDX-License-Identifier: GPL-2.0
/*
 * wireline: two Ethernet NICs and the cable between them, with a true line rate.
 *
 * veth, the usual pair, has no rate and is done with a packet before its sender
 * has looked up from it. Whatever is driven by transmit completions (TCP Small
 * Queues, byte queue limits, the qdisc's backpressure) then has nothing to go
 * by. A wireline device keeps each frame for the time that a wire of its speed
 * needs, and frees it when the last bit is out.
 *
 *	clock.h, frame.h	the time model
 *	lane.c, lane_setup.c	one direction: ring, wire, completions, delay
 *	moderation.h		when the receiver is interrupted
 *	receive.c		from the wire into the stack
 *	netdev.c		the device, link state
 *	rtnl.c			ip link add | del
 *	settings.c, sysfs.c	knobs, statistics
 *	kernel_shift.c		what the kernel has in the place of a knob
 *
 * What it does not do: autonegotiation, half duplex, pause frames, bit errors
 * (netem has them), more than one queue, moderation that adapts to the load.
 */

#include <linux/module.h>

#include "rtnl.h"
#include "selftest.h"

static int __init wireline_module_init(void)
{
	if (!wireline_selftest())
		return -ENOTRECOVERABLE;
	return wireline_rtnl_register();
}

static void __exit wireline_module_exit(void)
{
	wireline_rtnl_unregister();
}

module_init(wireline_module_init);
module_exit(wireline_module_exit);
MODULE_DESCRIPTION("Ethernet NIC pair with a true line rate");
MODULE_AUTHOR("tsqlab");
MODULE_LICENSE("GPL");
