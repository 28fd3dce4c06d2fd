// SPDX-License-Identifier: GPL-2.0
/*
 * The least RTT of 10 s, and a look at the path without a queue every 5 s.
 *
 * It differs from min_rtt.c's in that: two looks are in the time that the least RTT is
 * of, so one that finds a queue of others' still does not raise it. And half a BDP
 * stays in flight, where the first version keeps 4 packets: it costs a flow 2 % of its
 * bandwidth.
 */

#include "bandwidth.h"
#include "bounds.h"
#include "min_rtt.h"
#include "probe.h"
#include "probe_rtt.h"
#include "window.h"

#define PROBE_RTT_SECONDS	5
#define PROBE_RTT_FILTER_S	10

u32 bbrs_probe_rtt_cwnd(const struct sock *sk)
{
	u32 bw = bbrs_bw(bbrs_flow(sk));

	return max_t(u32, bbrs_bdp(sk, bw, BBRS_GAIN_PERCENT(50)), BBRS_CWND_MIN);
}

void bbrs_probe_rtt_try_to_leave(struct sock *sk)
{
	struct bbrs_flow *flow = bbrs_flow(sk);

	if (!flow->probe_rtt_end || !after(tcp_jiffies32, flow->probe_rtt_end))
		return;
	flow->bounds->recent_rtt_jiffies = tcp_jiffies32;
	bbrs_restore_cwnd(sk);
	bbrs_probe_resume(sk);
}

static void probe_rtt_update_least(struct sock *sk, const struct rate_sample *rs)
{
	struct bbrs_flow *flow = bbrs_flow(sk);
	struct bbrs_bounds *bounds = flow->bounds;
	bool takes_any;

	bounds->recent_rtt_expired = after(tcp_jiffies32, bounds->recent_rtt_jiffies +
							  PROBE_RTT_SECONDS * HZ);
	takes_any = bounds->recent_rtt_expired && !rs->is_ack_delayed;
	if (rs->rtt_us >= 0 && (rs->rtt_us < bounds->recent_rtt_us || takes_any)) {
		bounds->recent_rtt_us = rs->rtt_us;
		bounds->recent_rtt_jiffies = tcp_jiffies32;
	}

	if (bounds->recent_rtt_us < flow->min_rtt_us ||
	    after(tcp_jiffies32, flow->min_rtt_jiffies + PROBE_RTT_FILTER_S * HZ)) {
		flow->min_rtt_us = bounds->recent_rtt_us;
		flow->min_rtt_jiffies = bounds->recent_rtt_jiffies;
	}
}

static void probe_rtt_enter(struct sock *sk)
{
	struct bbrs_flow *flow = bbrs_flow(sk);

	bbrs_save_cwnd(sk);
	flow->mode = BBRS_PROBE_RTT;
	flow->probe_rtt_end = 0;
	flow->bounds->samples = BBRS_SAMPLES_STOPPING;
	bbrs_start_round(sk);
}

void bbrs_probe_rtt_update(struct sock *sk, const struct rate_sample *rs)
{
	struct bbrs_flow *flow = bbrs_flow(sk);

	probe_rtt_update_least(sk, rs);
	if (flow->bounds->recent_rtt_expired && !flow->restarts &&
	    flow->mode != BBRS_PROBE_RTT)
		probe_rtt_enter(sk);
	if (flow->mode == BBRS_PROBE_RTT)
		bbrs_stay_in_probe_rtt(sk, bbrs_probe_rtt_cwnd(sk),
				       bbrs_probe_rtt_try_to_leave);
	if (rs->delivered > 0)
		flow->restarts = false;
}
