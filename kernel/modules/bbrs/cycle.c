// SPDX-License-Identifier: GPL-2.0
/*
 * The modes of the first version's kind, and its cycle.
 *
 *	STARTUP --full--> DRAIN --down to a BDP--> PROBE_BW <--> PROBE_RTT
 *
 * In STARTUP each round doubles the rate: 2 / ln 2 = 2.89 is the least gain that
 * does, as samples are half a round late. The pipe is full when three rounds have
 * not shown a quarter more. DRAIN is the inverse of it, for as long as it takes
 * until no more than a BDP is in flight.
 *
 * PROBE_BW goes through the phases UP, DOWN, CRUISE, CRUISE, ... A phase is one
 * min_rtt, but UP lasts until its gain's worth is in flight, or something is lost;
 * and DOWN ends as soon as the queue of UP is gone. A flow begins anywhere but in
 * DOWN, so that flows that share a link do not probe together.
 *
 * The other cycle, which drains to the target, is bbrdev.c's.
 */

#include "bandwidth.h"
#include "compat.h"
#include "cycle.h"
#include "window.h"

#define CYCLE_FULL_PERCENT	125	/* what a round has to bring in STARTUP */
#define CYCLE_FULL_ROUNDS	3

u8 bbrs_v1_phases(void)
{
	return BBRS_V1_PHASES;
}

u16 bbrs_v1_phase_gain(u8 phase)
{
	switch (phase) {
	case BBRS_UP:
		return BBRS_GAIN_PERCENT(125);
	case BBRS_DOWN:
		return BBRS_GAIN_PERCENT(75);
	default:
		return BBRS_GAIN_1;
	}
}

static void cycle_go_on(struct sock *sk)
{
	struct bbrs_flow *flow = bbrs_flow(sk);

	if (++flow->phase >= bbrs_rules(sk)->phases())
		flow->phase = BBRS_UP;
	flow->phase_us = tcp_sk(sk)->delivered_mstamp;
}

/*
 * A phase of chance. The kernel draws a byte for a bound that the compiler knows, and
 * a word for any other: v1's is spelt out, to take as much of what is random as
 * mainline's BBR does, and so the same.
 */
static u8 cycle_chance(u8 phases)
{
	if (phases == BBRS_V1_PHASES)
		return bbrs_random_below(BBRS_V1_PHASES - 1);
	return bbrs_random_below(phases - 1);
}

/* Begin the cycle anywhere: one past a phase of chance is any but DOWN. */
void bbrs_enter_probe_bw(struct sock *sk)
{
	struct bbrs_flow *flow = bbrs_flow(sk);
	u8 phases = bbrs_rules(sk)->phases();

	flow->mode = BBRS_PROBE_BW;
	flow->phase = phases - 1 - cycle_chance(phases);
	cycle_go_on(sk);
}

static bool cycle_phase_is_over(struct sock *sk, const struct rate_sample *rs)
{
	const struct bbrs_flow *flow = bbrs_flow(sk);
	u32 bw = bbrs_max_bw(flow), in_flight;
	bool lasted;

	lasted = tcp_stamp_us_delta(tcp_sk(sk)->delivered_mstamp, flow->phase_us) >
		 flow->min_rtt_us;
	if (flow->pacing_gain == BBRS_GAIN_1)
		return lasted;
	in_flight = bbrs_at_departure(sk, rs->prior_in_flight);
	if (flow->pacing_gain < BBRS_GAIN_1)
		return lasted || in_flight <= bbrs_target(sk, bw, BBRS_GAIN_1);
	return lasted && (rs->losses ||
			  in_flight >= bbrs_target(sk, bw, flow->pacing_gain));
}

void bbrs_v1_update_phase(struct sock *sk, const struct rate_sample *rs)
{
	if (cycle_phase_is_over(sk, rs))
		cycle_go_on(sk);
}

void bbrs_update_phase(struct sock *sk, const struct rate_sample *rs)
{
	if (bbrs_flow(sk)->mode == BBRS_PROBE_BW)
		bbrs_rules(sk)->update_phase(sk, rs);
}

void bbrs_forget_full(struct sock *sk)
{
	bbrs_flow(sk)->full_bw = 0;
	bbrs_flow(sk)->full_rounds = 0;
}

/* Has the bandwidth stopped to grow? A program that had nothing to send says nothing. */
void bbrs_update_full(struct sock *sk, const struct rate_sample *rs)
{
	struct bbrs_flow *flow = bbrs_flow(sk);
	u32 bw = bbrs_max_bw(flow), wanted;

	if (flow->full || !flow->round_began || rs->is_app_limited)
		return;
	wanted = ((u64)flow->full_bw * BBRS_GAIN_PERCENT(CYCLE_FULL_PERCENT)) >>
		 BBRS_GAIN_SHIFT;
	if (bw >= wanted) {
		flow->full_bw = bw;
		flow->full_rounds = 0;
		return;
	}
	flow->full = ++flow->full_rounds >= CYCLE_FULL_ROUNDS;
}

/* Into DRAIN, and out of it. The gain is still that of the ACK before. */
void bbrs_update_drain(struct sock *sk)
{
	struct bbrs_flow *flow = bbrs_flow(sk);
	struct tcp_sock *tp = tcp_sk(sk);
	u32 bw = bbrs_max_bw(flow);

	if (flow->mode == BBRS_STARTUP && flow->full) {
		flow->mode = BBRS_DRAIN;
		tp->snd_ssthresh = bbrs_target(sk, bw, BBRS_GAIN_1);
	}
	if (flow->mode == BBRS_DRAIN &&
	    bbrs_at_departure(sk, tcp_packets_in_flight(tp)) <=
	    bbrs_target(sk, bw, BBRS_GAIN_1))
		bbrs_enter_probe_bw(sk);
}

void bbrs_leave_probe_rtt(struct sock *sk)
{
	if (bbrs_flow(sk)->full)
		bbrs_enter_probe_bw(sk);
	else
		bbrs_flow(sk)->mode = BBRS_STARTUP;
}

/*
 * What the mode makes of pacing and of cwnd, where kinds do not differ in it: all but
 * PROBE_BW's gains, and how much of a BDP stays in PROBE_RTT, which is @probe_rtt_cwnd.
 * Returns whether it is PROBE_BW.
 */
bool bbrs_update_mode_gains(struct sock *sk, u16 probe_rtt_cwnd)
{
	const struct bbrs_rules *rules = bbrs_rules(sk);
	struct bbrs_flow *flow = bbrs_flow(sk);

	switch (flow->mode) {
	case BBRS_STARTUP:
		flow->pacing_gain = rules->startup_pacing;
		flow->cwnd_gain = rules->startup_cwnd;
		break;
	case BBRS_DRAIN:
		flow->pacing_gain = rules->drain_pacing;
		flow->cwnd_gain = rules->startup_cwnd;
		break;
	case BBRS_PROBE_BW:
		return true;
	case BBRS_PROBE_RTT:
		flow->pacing_gain = BBRS_GAIN_1;
		flow->cwnd_gain = probe_rtt_cwnd;
		break;
	}
	return false;
}

void bbrs_update_gains(struct sock *sk)
{
	const struct bbrs_rules *rules = bbrs_rules(sk);
	struct bbrs_flow *flow = bbrs_flow(sk);

	if (!bbrs_update_mode_gains(sk, BBRS_GAIN_1))
		return;
	flow->pacing_gain = flow->obeys ? BBRS_GAIN_1 : rules->phase_gain(flow->phase);
	flow->cwnd_gain = rules->probe_cwnd;
}
