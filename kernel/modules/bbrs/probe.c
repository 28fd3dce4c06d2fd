// SPDX-License-Identifier: GPL-2.0
/*
 * The modes of bbr2's kind.
 *
 *	STARTUP --full, or lossy--> DRAIN --down to a BDP, or 3 rounds--> PROBE_BW
 *
 *	DOWN --room and no queue--> CRUISE --time--> REFILL --a round--> UP --> DOWN
 *
 * DOWN lets the queue of UP go. CRUISE stays at the estimate, below the bound by some
 * headroom for others, until it is time: 2 to 3 s, or as many rounds as packets are
 * wanted in flight, 63 at most, in which a Reno flow of the same size would have grown
 * by what it loses at once. REFILL forgets what losses said meanwhile, and fills the
 * pipe, so that what UP loses is due to UP. UP sends faster until it loses too much, or
 * up_is_over() says so, in which bbr2 and bbr3 differ.
 */

#include "bandwidth.h"
#include "bounds.h"
#include "compat.h"
#include "cycle.h"
#include "probe.h"
#include "window.h"

#define PROBE_FULL_PERCENT	125
#define PROBE_FULL_ROUNDS	3
#define PROBE_DRAIN_ROUNDS	3
#define PROBE_WAIT_US		(2 * USEC_PER_SEC)
#define PROBE_WAIT_CHANCE_US	USEC_PER_SEC
#define PROBE_ROUNDS_MAX	63
#define PROBE_ROUNDS_CHANCE	2

/* What the flow wants in flight: a BDP, unless cwnd was cut. */
u32 bbrs_wanted(const struct sock *sk)
{
	const struct bbrs_flow *flow = bbrs_flow(sk);

	return min(bbrs_bdp(sk, bbrs_bw(flow), BBRS_GAIN_1), tcp_snd_cwnd(tcp_sk(sk)));
}

void bbrs_probe_forget_full(struct sock *sk)
{
	struct bbrs_flow *flow = bbrs_flow(sk);

	flow->full_bw = 0;
	flow->full_rounds = 0;
	flow->bounds->full_now = false;
}

/* Has the bandwidth stopped to grow, since it was last forgotten? */
void bbrs_probe_update_full(struct sock *sk, const struct rate_sample *rs)
{
	struct bbrs_flow *flow = bbrs_flow(sk);
	struct bbrs_bounds *bounds = flow->bounds;

	if (bounds->full_now || !flow->round_began || rs->is_app_limited)
		return;
	if ((u64)bounds->sample_bw * 100 >= (u64)flow->full_bw * PROBE_FULL_PERCENT) {
		bbrs_probe_forget_full(sk);
		flow->full_bw = bounds->sample_bw;
		return;
	}
	if (++flow->full_rounds >= PROBE_FULL_ROUNDS) {
		bounds->full_now = true;
		flow->full = true;
	}
}

/* So many losses, in a whole round of recovery, that the pipe has to be full. */
static void probe_check_startup_losses(struct sock *sk)
{
	struct bbrs_flow *flow = bbrs_flow(sk);
	struct bbrs_bounds *bounds = flow->bounds;

	if (!bounds->loss_round_began)
		return;
	if (flow->mode == BBRS_STARTUP && !flow->full &&
	    inet_csk(sk)->icsk_ca_state == TCP_CA_Recovery &&
	    bounds->loss_events >= bbrs_rules(sk)->startup_losses &&
	    bbrs_bounds_too_high(sk, bounds->sent)) {
		flow->full = true;
		bounds->long_packets = max(bbrs_bdp(sk, bbrs_max_bw(flow), BBRS_GAIN_1),
					   bounds->latest_packets);
	}
	bounds->loss_events = 0;
}

void bbrs_probe_update_startup(struct sock *sk)
{
	struct bbrs_flow *flow = bbrs_flow(sk);
	struct bbrs_bounds *bounds = flow->bounds;
	struct tcp_sock *tp = tcp_sk(sk);
	u32 target;

	probe_check_startup_losses(sk);
	if (flow->mode == BBRS_STARTUP && flow->full) {
		flow->mode = BBRS_DRAIN;
		bounds->drain_round = flow->rounds;
		tp->snd_ssthresh = bbrs_target(sk, bbrs_max_bw(flow), BBRS_GAIN_1);
	}
	if (flow->mode != BBRS_DRAIN)
		return;
	target = bbrs_target(sk, bbrs_bw(flow), BBRS_GAIN_1);
	if (bbrs_at_departure(sk, tcp_packets_in_flight(tp)) <= target ||
	    flow->rounds - bounds->drain_round > PROBE_DRAIN_ROUNDS) {
		flow->mode = BBRS_PROBE_BW;
		bbrs_probe_down(sk);
	}
}

static void probe_begin(struct sock *sk, u8 phase, enum bbrs_samples samples)
{
	bbrs_flow(sk)->phase = phase;
	bbrs_bounds(sk)->samples = samples;
	bbrs_start_round(sk);
}

void bbrs_probe_down(struct sock *sk)
{
	struct bbrs_flow *flow = bbrs_flow(sk);
	struct bbrs_bounds *bounds = flow->bounds;

	bbrs_bounds_forget_round(sk);
	bounds->raise_every = BBRS_NO_BOUND;
	bounds->probe_rounds = bbrs_random_below(PROBE_ROUNDS_CHANCE);
	bounds->probe_wait_us = PROBE_WAIT_US + bbrs_random_below(PROBE_WAIT_CHANCE_US);
	flow->phase_us = tcp_sk(sk)->delivered_mstamp;
	probe_begin(sk, BBRS_DOWN, BBRS_SAMPLES_STOPPING);
}

static void probe_refill(struct sock *sk)
{
	struct bbrs_bounds *bounds = bbrs_bounds(sk);

	bbrs_bounds_forget_short(sk);
	bounds->raise_rounds = 0;
	bounds->raise_acked = 0;
	probe_begin(sk, BBRS_REFILL, BBRS_SAMPLES_REFILLING);
}

void bbrs_probe_up(struct sock *sk)
{
	struct bbrs_flow *flow = bbrs_flow(sk);

	bbrs_probe_forget_full(sk);
	flow->full_bw = flow->bounds->sample_bw;
	flow->phase_us = tcp_sk(sk)->delivered_mstamp;
	probe_begin(sk, BBRS_UP, BBRS_SAMPLES_STARTING);
	bbrs_bounds_raise_slope(sk);
}

/* After PROBE_RTT there is no queue, and no hurry to make one. */
void bbrs_probe_resume(struct sock *sk)
{
	struct bbrs_flow *flow = bbrs_flow(sk);

	bbrs_bounds_forget_short(sk);
	if (!flow->full) {
		flow->mode = BBRS_STARTUP;
		return;
	}
	flow->mode = BBRS_PROBE_BW;
	bbrs_probe_down(sk);
	flow->phase = BBRS_CRUISE;
}

static bool probe_is_due(const struct sock *sk)
{
	const struct bbrs_flow *flow = bbrs_flow(sk);
	const struct bbrs_bounds *bounds = flow->bounds;
	u32 waited_us = tcp_stamp_us_delta(tcp_sk(sk)->delivered_mstamp, flow->phase_us);

	return waited_us > bounds->probe_wait_us ||
	       bounds->probe_rounds >= min_t(u32, bbrs_wanted(sk), PROBE_ROUNDS_MAX);
}

static bool probe_may_cruise(struct sock *sk)
{
	u32 in_flight = bbrs_at_departure(sk, tcp_packets_in_flight(tcp_sk(sk)));

	return in_flight <= bbrs_bounds_headroom(sk) &&
	       in_flight <= bbrs_target(sk, bbrs_max_bw(bbrs_flow(sk)), BBRS_GAIN_1);
}

void bbrs_probe_update_phase(struct sock *sk, const struct rate_sample *rs)
{
	struct bbrs_flow *flow = bbrs_flow(sk);

	if (flow->mode != BBRS_PROBE_BW)
		return;
	switch (flow->phase) {
	case BBRS_DOWN:
		if (probe_is_due(sk))
			probe_refill(sk);
		else if (probe_may_cruise(sk))
			flow->phase = BBRS_CRUISE;
		break;
	case BBRS_CRUISE:
		if (probe_is_due(sk))
			probe_refill(sk);
		break;
	case BBRS_REFILL:
		if (flow->round_began) {
			flow->bounds->probe_counts = true;
			bbrs_probe_up(sk);
		}
		break;
	case BBRS_UP:
		if (bbrs_rules(sk)->up_is_over(sk, rs))
			bbrs_probe_down(sk);
		break;
	}
}

void bbrs_probe_update_gains(struct sock *sk)
{
	const struct bbrs_rules *rules = bbrs_rules(sk);
	struct bbrs_flow *flow = bbrs_flow(sk);

	if (!bbrs_update_mode_gains(sk, BBRS_GAIN_PERCENT(50)))
		return;
	flow->pacing_gain = rules->phase_gain(flow->phase);
	flow->cwnd_gain = flow->phase == BBRS_UP ? rules->up_cwnd : rules->probe_cwnd;
}
