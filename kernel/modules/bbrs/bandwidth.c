// SPDX-License-Identifier: GPL-2.0
/*
 * Rounds, the filter of bandwidths, and pacing; bandwidth.h has the units.
 *
 *	sample = packets delivered / the time that this took   (tcp_rate.c's)
 *	max_bw = the highest sample of as many rounds as a cycle has phases, and two
 *	rate = gain * bandwidth * 0.99
 *
 * A sample is of no use where the program had nothing to send: it says how fast
 * the program is. It counts when it is the highest all the same.
 *
 * The rate stays 1 % below, so that a queue that has formed goes away by itself: an
 * average rate of exactly the link's would keep it for ever.
 */

#include "age.h"
#include "bandwidth.h"
#include "policer.h"

/* bytes/s for @bw, times @gain: what a pacing rate would be without any margin. */
static u64 bandwidth_scaled(const struct sock *sk, u32 bw, u32 gain, u32 per_s)
{
	u64 bytes = (u64)bw * tcp_sk(sk)->mss_cache;

	/* The order is that of least loss: 32 bits of bandwidth and 14 of MSS leave
	 * 18, of which a gain takes 10; what a second has takes 20 of the 24 that
	 * the fraction gives back.
	 */
	bytes = (bytes * gain) >> BBRS_GAIN_SHIFT;
	return (bytes * per_s) >> BBRS_BW_SHIFT;
}

/* 1 % less than @gain times @bw: the margin is taken in the microseconds of a second. */
u64 bbrs_bytes_per_s(const struct sock *sk, u32 bw, u32 gain)
{
	u32 percent = bbrs_without(sk)->pacing_margin ? 100 : 99;

	return bandwidth_scaled(sk, bw, gain, USEC_PER_SEC / 100 * percent);
}

static unsigned long bandwidth_pacing_rate(const struct sock *sk, u32 bw, u32 gain)
{
	u64 bytes_per_s = bbrs_bytes_per_s(sk, bw, gain);
	const struct bbrs_rules *rules = bbrs_rules(sk);

	if (rules->pace)
		bytes_per_s = rules->pace(sk, bytes_per_s);
	return min_t(u64, bytes_per_s, READ_ONCE(sk->sk_max_pacing_rate));
}

/* Before there is a bandwidth, cwnd each RTT, at the gain of STARTUP. */
void bbrs_pace_by_rtt(struct sock *sk)
{
	struct bbrs_flow *flow = bbrs_flow(sk);
	struct tcp_sock *tp = tcp_sk(sk);
	u32 rtt_us = BBRS_RTT_GUESS_US;
	u32 bw;

	if (tp->srtt_us) {
		flow->rtt_seen = true;
		rtt_us = max(tp->srtt_us >> 3, 1u);
	}
	bw = bbrs_bw_of(tcp_snd_cwnd(tp), rtt_us);
	WRITE_ONCE(sk->sk_pacing_rate,
		   bandwidth_pacing_rate(sk, bw, bbrs_rules(sk)->startup_pacing));
}

/* The rate falls only once the pipe was full: a first sample may be far too low. */
void bbrs_pace(struct sock *sk, u32 bw, u32 gain)
{
	unsigned long rate = bandwidth_pacing_rate(sk, bw, gain);
	struct bbrs_flow *flow = bbrs_flow(sk);

	if (!flow->rtt_seen && tcp_sk(sk)->srtt_us)
		bbrs_pace_by_rtt(sk);
	if (flow->full || rate > READ_ONCE(sk->sk_pacing_rate))
		WRITE_ONCE(sk->sk_pacing_rate, rate);
}

/* A round begins now, and ends with what is sent from now on. */
void bbrs_start_round(struct sock *sk)
{
	bbrs_flow(sk)->round_end = tcp_sk(sk)->delivered;
}

void bbrs_update_round(struct sock *sk, const struct rate_sample *rs)
{
	struct bbrs_flow *flow = bbrs_flow(sk);

	flow->round_began = false;
	if (!bbrs_is_sample(rs) || before(rs->prior_delivered, flow->round_end))
		return;
	bbrs_start_round(sk);
	flow->rounds++;
	flow->round_began = true;
	flow->conserves = false;
}

void bbrs_update_bw(struct sock *sk, const struct rate_sample *rs)
{
	struct bbrs_flow *flow = bbrs_flow(sk);
	u64 bw;

	if (!bbrs_is_sample(rs))
		return;
	bbrs_policer_update(sk, rs);
	bw = bbrs_bw_of(rs->delivered, rs->interval_us);
	if (rs->is_app_limited && bw < bbrs_max_bw(flow))
		return;
	minmax_running_max(&flow->max_bw, bbrs_rules(sk)->phases() + 2,
			   flow->rounds, bw);
}
