// SPDX-License-Identifier: GPL-2.0
/*
 * bbrdev: Google's six patches to BBR of April 2018, on top of today's.
 *
 * Neal Cardwell and Priyaranjan Jha sent them to the list bbr-dev for comments, and
 * the authors of `aggregating` (docs/claims.md) have them as BBR-DEV. Known, as
 * read in them:
 *
 * - the estimator of extra_acked, which is mainline's since v5.1. Theirs is the
 *   highest of 10 to 20 rounds, mainline's of 5 to 10. Here it is 10, and without
 *   mainline's change (age.h) it is still there: it is theirs;
 * - a cycle that drains to the target, which was never mainline's:
 *
 *	UP	ends after a min_rtt, as soon as its gain's worth is in flight,
 *		something is lost, or there is not enough to send to get there: the
 *		program has no more, or the receiver takes no more
 *	DOWN	ends when no more than the target is in flight, however long that
 *		takes, and not before
 *	CRUISE	ends with the cycle, which has 2 to 8 min_rtt, by chance, whatever
 *		phase it is in then
 *
 *   where v1's DOWN ends after a min_rtt with what queue there is. As several flows
 *   drain until there is no queue, they see the path's own RTT, and leave room.
 *
 * The other patches are refactoring, and parameters for experiments.
 *
 * Our reading: what is in flight is counted at departure, as in today's BBR (its
 * commit is half a year younger than the patches); PROBE_BW is entered as in v1, at
 * a phase of chance. The first cycle has no length yet, so it begins with UP at the
 * next ACK that is later.
 */

#include <linux/module.h>

#include "bandwidth.h"
#include "compat.h"
#include "control.h"
#include "cycle.h"
#include "window.h"

#define BBRDEV_EXTRA_ROUNDS	10
#define BBRDEV_CYCLE_RTTS_MAX	8
#define BBRDEV_CYCLE_RTTS_MIN	2

/* Whether nothing can be sent but what is in flight. */
static bool bbrdev_has_no_more(const struct sock *sk, const struct rate_sample *rs)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	const struct sk_buff *skb = tcp_send_head(sk);
	u32 end;

	if (rs->is_app_limited || !skb)
		return true;
	end = min(TCP_SKB_CB(skb)->end_seq - TCP_SKB_CB(skb)->seq, tp->mss_cache) +
	      TCP_SKB_CB(skb)->seq;
	return after(end, tcp_wnd_end(tp));
}

static bool bbrdev_up_is_over(struct sock *sk, const struct rate_sample *rs, u32 elapsed_us)
{
	const struct bbrs_flow *flow = bbrs_flow(sk);
	u16 gain = bbrs_rules(sk)->phase_gain(BBRS_UP);

	if (elapsed_us <= flow->min_rtt_us)
		return false;
	return rs->losses || bbrdev_has_no_more(sk, rs) ||
	       bbrs_at_departure(sk, rs->prior_in_flight) >=
	       bbrs_target(sk, bbrs_max_bw(flow), gain);
}

static bool bbrdev_down_is_over(struct sock *sk, const struct rate_sample *rs)
{
	return bbrs_at_departure(sk, rs->prior_in_flight) <=
	       bbrs_target(sk, bbrs_max_bw(bbrs_flow(sk)), BBRS_GAIN_1);
}

static void bbrdev_begin_cycle(struct sock *sk)
{
	struct bbrs_flow *flow = bbrs_flow(sk);

	flow->phase = BBRS_UP;
	flow->phase_us = tcp_sk(sk)->delivered_mstamp;
	flow->cycle_rtts = BBRDEV_CYCLE_RTTS_MAX -
		bbrs_random_below(BBRDEV_CYCLE_RTTS_MAX - BBRDEV_CYCLE_RTTS_MIN + 1);
}

/* phase_us is when the cycle began, not the phase. */
void bbrs_drain_to_target(struct sock *sk, const struct rate_sample *rs)
{
	struct bbrs_flow *flow = bbrs_flow(sk);
	u32 elapsed_us = tcp_stamp_us_delta(tcp_sk(sk)->delivered_mstamp, flow->phase_us);

	if (elapsed_us > (u64)flow->cycle_rtts * flow->min_rtt_us)
		bbrdev_begin_cycle(sk);
	else if (flow->phase == BBRS_UP && bbrdev_up_is_over(sk, rs, elapsed_us))
		flow->phase = BBRS_DOWN;
	else if (flow->phase == BBRS_DOWN && bbrdev_down_is_over(sk, rs))
		flow->phase = BBRS_CRUISE;
}

struct bbrs_control bbrs_bbrdev = {
	.ops = { BBRS_V1_OPS("bbrdev") },
	.rules = {
		BBRS_V1_GAINS,
		.extra_rounds	= BBRDEV_EXTRA_ROUNDS,
		.own_extra_acked = true,
		.phases		= bbrs_v1_phases,
		.phase_gain	= bbrs_v1_phase_gain,
		.update_phase	= bbrs_drain_to_target,
	},
};

MODULE_ALIAS("tcp_bbrdev");
