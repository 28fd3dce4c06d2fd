// SPDX-License-Identifier: GPL-2.0
/*
 * bbr3: the third version, by the IETF's draft.
 *
 * Pinned: draft-ietf-ccwg-bbr-05 (2 March 2026), its text and the rules that it states;
 * no line of it and none of Google's Linux patches is in here.
 *
 * Where Google's Linux differs from that draft, as far as it is known (read there):
 *
 *	DOWN's pacing gain	0.91, the draft 0.90: Linux's is taken
 *	DRAIN's			1 / 2.89, the draft 0.5: the draft's is taken
 *	an RTT that expires	not from a delayed ACK: Linux's is taken
 *	in flight		counted at departure: Linux's is taken
 *	extra_acked		of 5 to 10 rounds, the draft of 10: Linux's is taken
 *
 * Our reading, where the draft's rules do not say what its text says: the bandwidth
 * filter ages once a cycle, with the first round after UP, and from then on losses are
 * nobody's probe's (its rules let both go on until the next UP).
 *
 * Not here: ECN and what a receiver does for it, the size of skbs by the RTT (TCP's own
 * since v5.18), losses that a tail loss probe has mended, which TCP does not tell.
 * What was in flight when a packet was sent is an approximation (ring.h).
 */

#include <linux/module.h>

#include "bandwidth.h"
#include "bounded.h"
#include "bounds.h"
#include "probe.h"

/* 4 ln 2, rounded up. */
#define BBR3_STARTUP_GAIN	(BBRS_GAIN_1 * 2773 / 1000 + 1)

static u16 bbr3_phase_gain(u8 phase)
{
	switch (phase) {
	case BBRS_UP:
		return BBRS_GAIN_PERCENT(125);
	case BBRS_DOWN:
		return BBRS_GAIN_PERCENT(91);
	default:
		return BBRS_GAIN_1;
	}
}

/*
 * When three rounds have not brought a quarter more. Where the long-term bound is what
 * holds the flow back, nothing can come, and rounds do not count.
 */
static bool bbr3_up_is_over(struct sock *sk, const struct rate_sample *rs)
{
	struct bbrs_flow *flow = bbrs_flow(sk);
	struct bbrs_bounds *bounds = flow->bounds;
	const struct tcp_sock *tp = tcp_sk(sk);

	if (tp->is_cwnd_limited && tcp_snd_cwnd(tp) >= bounds->long_packets) {
		bbrs_probe_forget_full(sk);
		flow->full_bw = bounds->sample_bw;
		return false;
	}
	return bounds->full_now;
}

struct bbrs_control bbrs_bbr3 = {
	.ops = { BBRS_BOUNDED_OPS("bbr3") },
	.rules = {
		.startup_pacing	= BBR3_STARTUP_GAIN,
		.startup_cwnd	= 2 * BBRS_GAIN_1,
		.drain_pacing	= BBRS_GAIN_PERCENT(50),
		.probe_cwnd	= 2 * BBRS_GAIN_1,
		.up_cwnd	= BBRS_GAIN_PERCENT(225),
		.extra_rounds	= 5,
		.ageless	= true,
		.extra_in_startup = true,
		.budget_is_least = true,
		.startup_losses	= 6,
		.phase_gain	= bbr3_phase_gain,
		.up_is_over	= bbr3_up_is_over,
	},
};

MODULE_ALIAS("tcp_bbr3");
