// SPDX-License-Identifier: GPL-2.0
/*
 * The least RTT of 10 s, and what is done to see it again.
 *
 * A flow that keeps a queue never sees the path without it. So where 10 s have
 * brought nothing as short as the least RTT, cwnd is 4 packets for 200 ms and a
 * round. Flows that share a queue come to do so together: when one lets its part of
 * the queue go, the others see a shorter RTT, and theirs run out together with it.
 *
 * While cwnd is so small the bandwidth is what cwnd lets it be, so samples count as
 * those of a program that has nothing to send.
 */

#include "age.h"
#include "cycle.h"
#include "bandwidth.h"
#include "min_rtt.h"
#include "window.h"

#define MIN_RTT_SECONDS		10
#define MIN_RTT_PROBE_MS	200

void bbrs_try_to_leave_probe_rtt(struct sock *sk)
{
	struct bbrs_flow *flow = bbrs_flow(sk);

	if (!flow->probe_rtt_end || !after(tcp_jiffies32, flow->probe_rtt_end))
		return;
	flow->min_rtt_jiffies = tcp_jiffies32;
	bbrs_restore_cwnd(sk);
	bbrs_leave_probe_rtt(sk);
}

/*
 * At each ACK of PROBE_RTT. Its time begins when no more than @packets are in flight.
 * Low samples are of cwnd, not of the path, as long as this lasts.
 */
void bbrs_stay_in_probe_rtt(struct sock *sk, u32 packets,
			    void (*try_to_leave)(struct sock *sk))
{
	struct bbrs_flow *flow = bbrs_flow(sk);
	struct tcp_sock *tp = tcp_sk(sk);
	u32 in_flight = tcp_packets_in_flight(tp);

	tp->app_limited = (tp->delivered + in_flight) ? : 1;

	if (flow->probe_rtt_end) {
		if (flow->round_began)
			flow->probe_rtt_round = true;
		if (flow->probe_rtt_round)
			try_to_leave(sk);
	} else if (in_flight <= packets) {
		flow->probe_rtt_end = tcp_jiffies32 +
				      msecs_to_jiffies(MIN_RTT_PROBE_MS);
		flow->probe_rtt_round = false;
		bbrs_start_round(sk);
	}
}

static bool min_rtt_takes(const struct sock *sk, const struct rate_sample *rs,
			  bool expired)
{
	if (rs->rtt_us < 0)
		return false;
	if (rs->rtt_us < bbrs_flow(sk)->min_rtt_us)
		return true;
	return expired && (!rs->is_ack_delayed || bbrs_without(sk)->delayed_ack_rtt);
}

void bbrs_update_min_rtt(struct sock *sk, const struct rate_sample *rs)
{
	struct bbrs_flow *flow = bbrs_flow(sk);
	bool expired = after(tcp_jiffies32, flow->min_rtt_jiffies + MIN_RTT_SECONDS * HZ);

	if (min_rtt_takes(sk, rs, expired)) {
		flow->min_rtt_us = rs->rtt_us;
		flow->min_rtt_jiffies = tcp_jiffies32;
	}

	if (expired && !flow->restarts && flow->mode != BBRS_PROBE_RTT) {
		flow->mode = BBRS_PROBE_RTT;
		/* As the mode is that already, a smaller cwnd is not the good one. */
		bbrs_save_cwnd(sk);
		flow->probe_rtt_end = 0;
	}
	if (flow->mode == BBRS_PROBE_RTT)
		bbrs_stay_in_probe_rtt(sk, BBRS_CWND_MIN, bbrs_try_to_leave_probe_rtt);

	if (rs->delivered > 0)
		flow->restarts = false;
}
