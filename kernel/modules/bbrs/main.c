// SPDX-License-Identifier: GPL-2.0
/*
 * bbrs: the BBR family of congestion controls, for kernels that have BBR itself only.
 *
 *	flow.h		a flow's state, and what a control is
 *	control.c	what TCP calls, and the order of an ACK's steps
 *	bandwidth.c	rounds, the highest bandwidth, the pacing rate
 *	window.c	BDP, what is in flight, extra_acked, cwnd
 *	cycle.c		the modes, and PROBE_BW's cycle
 *	min_rtt.c	the least RTT, and PROBE_RTT
 *	policer.c	the rate of a policer
 *	age.c		changes of Linux that are taken back
 *
 *	bbrplus.c	bbrplus: pacing by the kernel's ratios
 *	bbrdev.c	bbrdev: Google's patches of 2018
 *	bbr_cycle.c	bbr_cycle: a cycle of one's own
 *
 * bbr2 and bbr3 share bandwidth.c and window.c with them, and have of their own
 *
 *	bounded.c	what TCP calls, and the order of an ACK's steps
 *	bounds.c	what losses say of a path
 *	ring.c		what was in flight when a packet was sent
 *	probe.c		the modes, and PROBE_BW's four phases
 *	probe_rtt.c	the least RTT, and PROBE_RTT
 *	bbr2.c, bbr3.c	their constants, and when UP ends
 *
 * A control's own file says what is known of it, and what is our reading.
 * The core is the first version's, as it is in Linux of today, in other words: with
 * the stock pacing ratios bbrplus sends the same packets as the kernel's bbr.
 */

#include <linux/kernel.h>
#include <linux/module.h>

#include "control.h"

static struct bbrs_control *const main_controls[] = {
	&bbrs_bbrplus,
	&bbrs_bbrdev,
	&bbrs_bbr_cycle,
	&bbrs_bbr2,
	&bbrs_bbr3,
};

static void main_unregister(size_t count)
{
	while (count--)
		tcp_unregister_congestion_control(&main_controls[count]->ops);
}

static int __init main_init(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(main_controls); i++) {
		int error = tcp_register_congestion_control(&main_controls[i]->ops);

		if (error) {
			main_unregister(i);
			return error;
		}
	}
	return 0;
}

static void __exit main_exit(void)
{
	main_unregister(ARRAY_SIZE(main_controls));
}

module_init(main_init);
module_exit(main_exit);
MODULE_DESCRIPTION("The BBR family of TCP congestion controls");
MODULE_AUTHOR("tsqlab");
MODULE_LICENSE("GPL");
