// SPDX-License-Identifier: GPL-2.0
/*
 * What losses say of a path: how much it holds, and how fast it is.
 *
 * Losses of a probe (STARTUP, REFILL, UP) say where the path ends. If more than 2 % of
 * what was in flight when a packet was sent is lost by the time that one knows, then
 * what was in flight at which the share passed 2 % is the bound from now on
 * (long_packets; no less than 0.7 of what the flow wants). It holds until a probe
 * passes it without losses, and rises by 1, 2, 4, ... packets a round.
 *
 * Losses at any other time say that there is less room than there was. At the end of a
 * round with any, bandwidth and packets in flight come down to what the round has
 * delivered, by no more than 0.3 (short_bw, short_packets). The next probe forgets it.
 *
 *	            path's end      +-- long_packets ------------- . . .
 *	  in flight ............... |        /\ UP
 *	     ______CRUISE__________/|_______/  \____ 0.85 of it
 *
 * What was in flight, and lost, is known by the ring's marks (ring.h).
 */

#include "bandwidth.h"
#include "bounds.h"
#include "probe.h"
#include "window.h"

#define BOUNDS_LOSS_PERCENT	2	/* of a round, that a probe may cost */
#define BOUNDS_KEPT_PERCENT	70	/* what a round with losses leaves at least */
#define BOUNDS_FREE_PERCENT	15	/* left free for others below long_packets */
#define BOUNDS_RAISES_MAX	30

static u32 bounds_percent(u32 of, u32 percent)
{
	return (u64)of * percent / 100;
}

/* What this ACK is: of a packet that was sent when? */
void bbrs_bounds_note_ack(struct sock *sk, const struct rate_sample *rs)
{
	struct bbrs_bounds *bounds = bbrs_bounds(sk);

	bounds->sample_bw = bbrs_sample_bw(rs);
	if (bbrs_is_sample(rs))
		bounds->sent = bbrs_ring_find(&bounds->ring, rs->prior_delivered);
}

/* Whether more is lost, since a packet was @sent, than a probe may cost. */
bool bbrs_bounds_too_high(const struct sock *sk, struct bbrs_mark sent)
{
	u32 lost = tcp_sk(sk)->lost - sent.lost;

	return (u64)lost * 100 > (u64)sent.in_flight * BOUNDS_LOSS_PERCENT;
}

/*
 * How much was in flight when the share of losses passed the threshold, of which the
 * last @packets are lost: p of them such that
 *
 *	(lost before + p) / (in flight before + p) = 2 %
 */
static u32 bounds_at_loss(const struct sock *sk, struct bbrs_mark sent, u32 packets)
{
	u32 lost = tcp_sk(sk)->lost - sent.lost;
	u32 before = sent.in_flight - min(sent.in_flight, packets);
	u64 bearable = (u64)before * BOUNDS_LOSS_PERCENT;
	u64 lost_before = (u64)(lost - min(lost, packets)) * 100;

	if (bearable <= lost_before)
		return before;
	return before + div_u64(bearable - lost_before, 100 - BOUNDS_LOSS_PERCENT);
}

/* A probe went too far: once for each, whatever else of it is lost. */
static void bounds_end_probe(struct sock *sk, u32 in_flight, bool app_limited)
{
	struct bbrs_flow *flow = bbrs_flow(sk);
	struct bbrs_bounds *bounds = flow->bounds;
	u32 wanted = bbrs_wanted(sk);

	bounds->probe_counts = false;
	if (!app_limited)
		bounds->long_packets = max(in_flight,
					   bounds_percent(wanted, BOUNDS_KEPT_PERCENT));
	if (flow->mode == BBRS_PROBE_BW && flow->phase == BBRS_UP)
		bbrs_probe_down(sk);
}

/* The first packet that is lost, and not sent again yet. */
static const struct sk_buff *bounds_lost_skb(struct sock *sk)
{
	struct sk_buff *skb = tcp_rtx_queue_head(sk);

	skb_rbtree_walk_from(skb) {
		u8 sacked = TCP_SKB_CB(skb)->sacked;

		if ((sacked & TCPCB_LOST) && !(sacked & TCPCB_SACKED_RETRANS))
			return skb;
	}
	return NULL;
}

/* TCP has marked packets as lost, with this ACK. */
void bbrs_bounds_note_losses(struct sock *sk, const struct rate_sample *rs)
{
	struct bbrs_bounds *bounds = bbrs_bounds(sk);
	const struct sk_buff *skb;
	struct bbrs_mark sent;

	if (rs->losses <= 0)
		return;
	if (!bounds->loss_in_round) {
		bounds->loss_round_end = tcp_sk(sk)->delivered;
		bbrs_bounds_save(sk);
	}
	bounds->loss_in_round = true;
	bounds->loss_events = min(bounds->loss_events + 1, U8_MAX);

	if (!bounds->probe_counts)
		return;
	skb = bounds_lost_skb(sk);
	if (!skb)
		return;
	sent = bbrs_ring_find(&bounds->ring, TCP_SKB_CB(skb)->tx.delivered);
	if (bbrs_bounds_too_high(sk, sent))
		bounds_end_probe(sk, bounds_at_loss(sk, sent, tcp_skb_pcount(skb)),
				 TCP_SKB_CB(skb)->tx.is_app_limited);
}

/* The highest of the round, which is one from a loss to its answer. */
void bbrs_bounds_update_latest(struct sock *sk, const struct rate_sample *rs)
{
	struct bbrs_bounds *bounds = bbrs_bounds(sk);

	bounds->loss_round_began = false;
	if (!bbrs_is_sample(rs))
		return;
	bounds->latest_bw = max(bounds->latest_bw, bounds->sample_bw);
	bounds->latest_packets = max_t(u32, bounds->latest_packets, rs->delivered);
	if (before(rs->prior_delivered, bounds->loss_round_end))
		return;
	bounds->loss_round_end = tcp_sk(sk)->delivered;
	bounds->loss_round_began = true;
}

/* The bandwidth is the highest of two cycles: one with a probe in it is among them. */
void bbrs_bounds_update_bw(struct sock *sk, const struct rate_sample *rs)
{
	struct bbrs_flow *flow = bbrs_flow(sk);
	struct bbrs_bounds *bounds = flow->bounds;
	u32 bw = bounds->sample_bw;

	if (!bw || (rs->is_app_limited && bw < bbrs_max_bw(flow)))
		return;
	bounds->cycle_bw[1] = max(bounds->cycle_bw[1], bw);
	minmax_reset(&flow->max_bw, 0, max(bounds->cycle_bw[0], bounds->cycle_bw[1]));
}

/* The cycle's samples are complete. One without any is none. */
static void bounds_age_bw(struct bbrs_flow *flow)
{
	struct bbrs_bounds *bounds = flow->bounds;

	if (!bounds->cycle_bw[1])
		return;
	bounds->cycle_bw[0] = bounds->cycle_bw[1];
	bounds->cycle_bw[1] = 0;
	minmax_reset(&flow->max_bw, 0, bounds->cycle_bw[0]);
}

/* A round is over: did it cost anything while nobody probed? */
static void bounds_answer_losses(struct sock *sk)
{
	const struct bbrs_flow *flow = bbrs_flow(sk);
	struct bbrs_bounds *bounds = flow->bounds;

	if (bbrs_probes_bw(flow) || !bounds->loss_in_round)
		return;
	if (bounds->short_bw == BBRS_NO_BOUND)
		bounds->short_bw = bbrs_max_bw(flow);
	if (bounds->short_packets == BBRS_NO_BOUND)
		bounds->short_packets = tcp_snd_cwnd(tcp_sk(sk));
	bounds->short_bw = max(bounds->latest_bw,
			       bounds_percent(bounds->short_bw, BOUNDS_KEPT_PERCENT));
	bounds->short_packets = max(bounds->latest_packets,
				    bounds_percent(bounds->short_packets,
						   BOUNDS_KEPT_PERCENT));
}

void bbrs_bounds_update_short(struct sock *sk)
{
	struct bbrs_bounds *bounds = bbrs_bounds(sk);

	if (!bounds->loss_round_began)
		return;
	bounds_answer_losses(sk);
	bounds->loss_in_round = false;
}

void bbrs_bounds_forget_short(struct sock *sk)
{
	bbrs_bounds(sk)->short_bw = BBRS_NO_BOUND;
	bbrs_bounds(sk)->short_packets = BBRS_NO_BOUND;
}

void bbrs_bounds_forget_round(struct sock *sk)
{
	struct bbrs_bounds *bounds = bbrs_bounds(sk);

	bounds->loss_in_round = false;
	bounds->latest_bw = 0;
	bounds->latest_packets = 0;
}

/* What long_packets leaves of itself while nobody probes. */
u32 bbrs_bounds_headroom(const struct sock *sk)
{
	u32 bound = bbrs_bounds(sk)->long_packets;
	u32 left_free;

	if (bound == BBRS_NO_BOUND)
		return bound;
	left_free = max(bounds_percent(bound, BOUNDS_FREE_PERCENT), 1u);
	return max_t(u32, bound - min(bound, left_free), BBRS_CWND_MIN);
}

/* UP: from now on the bound rises twice as fast as in the round before. */
void bbrs_bounds_raise_slope(struct sock *sk)
{
	struct bbrs_bounds *bounds = bbrs_bounds(sk);
	u32 growth = 1u << bounds->raise_rounds;

	bounds->raise_rounds = min(bounds->raise_rounds + 1, BOUNDS_RAISES_MAX);
	bounds->raise_every = max(tcp_snd_cwnd(tcp_sk(sk)) / growth, 1u);
}

/* UP: the bound rises as far as it is used. */
static void bounds_raise(struct sock *sk, const struct rate_sample *rs)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	struct bbrs_bounds *bounds = bbrs_bounds(sk);
	u32 steps;

	if (!tp->is_cwnd_limited || tcp_snd_cwnd(tp) < bounds->long_packets)
		return;
	bounds->raise_acked += rs->acked_sacked;
	steps = bounds->raise_acked / bounds->raise_every;
	bounds->raise_acked -= steps * bounds->raise_every;
	bounds->long_packets += steps;
	if (bbrs_flow(sk)->round_began)
		bbrs_bounds_raise_slope(sk);
}

/* Whose samples the ACKs of a new round have. */
static void bounds_follow_samples(struct sock *sk, const struct rate_sample *rs)
{
	struct bbrs_flow *flow = bbrs_flow(sk);
	struct bbrs_bounds *bounds = flow->bounds;

	if (!flow->round_began)
		return;
	if (bounds->samples == BBRS_SAMPLES_STARTING) {
		bounds->samples = BBRS_SAMPLES_OF_PROBE;
	} else if (bounds->samples == BBRS_SAMPLES_STOPPING) {
		bounds->samples = BBRS_SAMPLES_OF_NOW;
		bounds->probe_counts = false;
		if (flow->mode == BBRS_PROBE_BW && !rs->is_app_limited)
			bounds_age_bw(flow);
	}
}

void bbrs_bounds_update_long(struct sock *sk, const struct rate_sample *rs)
{
	struct bbrs_flow *flow = bbrs_flow(sk);
	struct bbrs_bounds *bounds = flow->bounds;

	bounds_follow_samples(sk, rs);
	if (!bbrs_is_sample(rs) || bounds->long_packets == BBRS_NO_BOUND ||
	    bbrs_bounds_too_high(sk, bounds->sent))
		return;
	bounds->long_packets = max(bounds->long_packets, bounds->sent.in_flight);
	if (flow->mode == BBRS_PROBE_BW && flow->phase == BBRS_UP)
		bounds_raise(sk, rs);
}

void bbrs_bounds_save(struct sock *sk)
{
	const struct bbrs_flow *flow = bbrs_flow(sk);
	struct bbrs_bounds *bounds = flow->bounds;

	bounds->undo_mode = flow->mode;
	bounds->undo_phase = flow->phase;
	bounds->undo_short_bw = bounds->short_bw;
	bounds->undo_short_packets = bounds->short_packets;
	bounds->undo_long_packets = bounds->long_packets;
}

/* Nothing was lost: what was cut is as before, and so is a probe that was ended. */
void bbrs_bounds_undo(struct sock *sk)
{
	struct bbrs_flow *flow = bbrs_flow(sk);
	struct bbrs_bounds *bounds = flow->bounds;

	bounds->loss_in_round = false;
	bounds->short_bw = max(bounds->short_bw, bounds->undo_short_bw);
	bounds->short_packets = max(bounds->short_packets, bounds->undo_short_packets);
	bounds->long_packets = max(bounds->long_packets, bounds->undo_long_packets);
	if (flow->mode == BBRS_PROBE_BW && flow->phase != BBRS_UP &&
	    bounds->undo_mode == BBRS_PROBE_BW && bounds->undo_phase == BBRS_UP)
		bbrs_probe_up(sk);
}

/* The most that cwnd may be. */
u32 bbrs_bounds_cwnd(const struct sock *sk)
{
	const struct bbrs_flow *flow = bbrs_flow(sk);
	const struct bbrs_bounds *bounds = flow->bounds;
	u32 most = BBRS_NO_BOUND;

	if (flow->mode == BBRS_PROBE_RTT ||
	    (flow->mode == BBRS_PROBE_BW && flow->phase == BBRS_CRUISE))
		most = bbrs_bounds_headroom(sk);
	else if (flow->mode == BBRS_PROBE_BW)
		most = bounds->long_packets;
	most = min(most, bounds->short_packets);
	return max_t(u32, most, BBRS_CWND_MIN);
}
