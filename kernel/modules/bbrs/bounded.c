// SPDX-License-Identifier: GPL-2.0
/*
 * A control of bbr2's kind, as TCP calls it.
 *
 *	an ACK -> losses -> round -> bandwidth -> short bounds -> extra_acked -> full?
 *	       -> STARTUP, DRAIN -> long bound, phase -> min_rtt, PROBE_RTT
 *	       -> gains -> pacing rate -> cwnd -> a mark in the ring
 *
 * TCP calls some of these functions before init(): the ACK that makes a connection
 * comes to cong_control() before it. There are no bounds then, and a flow for which
 * there was no memory has none either: it stays at its first window, and asks for some
 * with each ACK.
 */

#include <linux/module.h>
#include <linux/slab.h>

#include "bandwidth.h"
#include "bounded.h"
#include "bounds.h"
#include "probe.h"
#include "probe_rtt.h"
#include "window.h"

static void bounded_allocate(struct sock *sk)
{
	struct bbrs_flow *flow = bbrs_flow(sk);
	struct bbrs_bounds *bounds;

	bounds = kzalloc(sizeof(*bounds), GFP_ATOMIC | __GFP_NOWARN);
	if (!bounds)
		return;
	flow->bounds = bounds;
	bounds->long_packets = BBRS_NO_BOUND;
	bounds->loss_round_end = tcp_sk(sk)->delivered;
	bounds->recent_rtt_us = flow->min_rtt_us;
	bounds->recent_rtt_jiffies = tcp_jiffies32;
	bounds->raise_every = BBRS_NO_BOUND;
	bbrs_bounds_forget_short(sk);
	bbrs_bounds_save(sk);
}

void bbrs_bounded_init(struct sock *sk)
{
	bbrs_begin(sk);
	bounded_allocate(sk);
}

/* Also without init(), and twice. */
void bbrs_bounded_release(struct sock *sk)
{
	kfree(bbrs_bounds(sk));
	bbrs_flow(sk)->bounds = NULL;
}

/* At the end of a recovery cwnd is what it was; the bounds then have their say. */
static void bounded_update_cwnd(struct sock *sk, const struct rate_sample *rs)
{
	struct bbrs_flow *flow = bbrs_flow(sk);
	struct tcp_sock *tp = tcp_sk(sk);
	u8 before = flow->ca_state, now = inet_csk(sk)->icsk_ca_state;
	u32 cwnd = tcp_snd_cwnd(tp);

	flow->ca_state = now;
	if (before >= TCP_CA_Recovery && now < TCP_CA_Recovery)
		cwnd = max(cwnd, flow->good_cwnd);
	if (rs->acked_sacked)
		cwnd = bbrs_step_cwnd(sk, cwnd, rs->acked_sacked);
	if (flow->mode == BBRS_PROBE_RTT)
		cwnd = min(cwnd, bbrs_probe_rtt_cwnd(sk));
	cwnd = min3(cwnd, bbrs_bounds_cwnd(sk), tp->snd_cwnd_clamp);
	tcp_snd_cwnd_set(tp, cwnd);
}

static void bounded_update_model(struct sock *sk, const struct rate_sample *rs)
{
	struct bbrs_flow *flow = bbrs_flow(sk);
	struct bbrs_bounds *bounds = flow->bounds;

	bbrs_bounds_note_ack(sk, rs);
	bbrs_bounds_note_losses(sk, rs);
	bbrs_update_round(sk, rs);
	if (flow->round_began)
		bounds->probe_rounds++;
	bbrs_bounds_update_latest(sk, rs);
	bbrs_bounds_update_bw(sk, rs);
	bbrs_bounds_update_short(sk);
	bbrs_update_extra_acked(sk, rs);
	bbrs_probe_update_full(sk, rs);
	bbrs_probe_update_startup(sk);
	if (flow->full) {
		bbrs_bounds_update_long(sk, rs);
		bbrs_probe_update_phase(sk, rs);
	}
	bbrs_probe_rtt_update(sk, rs);
	if (bounds->loss_round_began) {
		bounds->latest_bw = bounds->sample_bw;
		bounds->latest_packets = rs->delivered;
	}
	flow->other_bw = min(bbrs_max_bw(flow), bounds->short_bw);
	flow->obeys = bounds->short_bw != BBRS_NO_BOUND;
	bbrs_probe_update_gains(sk);
}

void bbrs_bounded_control(struct sock *sk, BBRS_ACK_AND_FLAG const struct rate_sample *rs)
{
	struct bbrs_flow *flow = bbrs_flow(sk);
	struct tcp_sock *tp = tcp_sk(sk);

	if (!flow->bounds && inet_csk(sk)->icsk_ca_initialized)
		bounded_allocate(sk);
	if (!flow->bounds)
		return;
	/* Packets from now on say how fast the program is, if it has no more. */
	tcp_rate_check_app_limited(sk);
	bounded_update_model(sk, rs);
	bbrs_pace(sk, bbrs_bw(flow), flow->pacing_gain);
	bounded_update_cwnd(sk, rs);
	bbrs_ring_add(&flow->bounds->ring,
		      (struct bbrs_mark){ tp->delivered, tcp_packets_in_flight(tp),
					  tp->lost },
		      tcp_snd_cwnd(tp));
}

/* A timeout: TCP has cut cwnd, and keeps what ssthresh() has saved for the end of it. */
void bbrs_bounded_set_state(struct sock *sk, u8 state)
{
	if (state != TCP_CA_Loss || !bbrs_bounds(sk))
		return;
	bbrs_flow(sk)->ca_state = TCP_CA_Loss;
	bbrs_probe_forget_full(sk);
}

void bbrs_bounded_cwnd_event(struct sock *sk, enum tcp_ca_event event)
{
	if (bbrs_bounds(sk))
		bbrs_restart(sk, event, bbrs_probe_rtt_try_to_leave);
}

u32 bbrs_bounded_ssthresh(struct sock *sk)
{
	if (bbrs_bounds(sk)) {
		bbrs_save_cwnd(sk);
		bbrs_bounds_save(sk);
	}
	return tcp_sk(sk)->snd_ssthresh;
}

u32 bbrs_bounded_undo_cwnd(struct sock *sk)
{
	if (bbrs_bounds(sk)) {
		bbrs_probe_forget_full(sk);
		bbrs_bounds_undo(sk);
	}
	return tcp_snd_cwnd(tcp_sk(sk));
}
