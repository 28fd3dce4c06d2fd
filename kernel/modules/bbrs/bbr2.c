// SPDX-License-Identifier: GPL-2.0
/*
 * bbr2: the second version, Google's "alpha" of 2019 to 2023.
 *
 * It is obsolete, by its authors' own words, and what it achieves does not hold for the
 * third. It is here because papers measured it (`aggregating`, over Linux 5.4).
 *
 * Known, as read in Google's Linux: its constants, below, and that UP ends when a
 * min_rtt has passed and 1.25 BDP are in flight, or when too much is lost. Pinned for
 * the rest: draft-cardwell-iccrg-bbr-congestion-control-02 (7 March 2022), which has
 * the same bounds, phases and answers to losses as the third version's draft. These
 * are bbr3's here, one code.
 *
 * Our reading: that all of the rest is bbr3's. Faults that v2 had and v3 has not (how
 * bandwidth converges, UP that ends early) are not copied unless they are in what is
 * said above, and the third version's DRAIN ends after 3 rounds at the latest, which
 * is so here, too. ECN is left out.
 */

#include <linux/module.h>

#include "bandwidth.h"
#include "bounded.h"
#include "cycle.h"
#include "window.h"

static bool bbr2_up_is_over(struct sock *sk, const struct rate_sample *rs)
{
	const struct bbrs_flow *flow = bbrs_flow(sk);
	u32 up_us = tcp_stamp_us_delta(tcp_sk(sk)->delivered_mstamp, flow->phase_us);

	return up_us > flow->min_rtt_us &&
	       bbrs_at_departure(sk, rs->prior_in_flight) >=
	       bbrs_target(sk, bbrs_max_bw(flow), bbrs_v1_phase_gain(BBRS_UP));
}

struct bbrs_control bbrs_bbr2 = {
	.ops = { BBRS_BOUNDED_OPS("bbr2") },
	.rules = {
		BBRS_V1_GAINS,
		.up_cwnd	= 2 * BBRS_GAIN_1,
		.extra_rounds	= 5,
		.ageless	= true,
		.extra_in_startup = true,
		.budget_is_least = true,
		.startup_losses	= 8,
		.phase_gain	= bbrs_v1_phase_gain,
		.up_is_over	= bbr2_up_is_over,
	},
};

MODULE_ALIAS("tcp_bbr2");
