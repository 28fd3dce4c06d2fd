/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What bbr2 and bbr3 know of a path beyond its bandwidth and its RTT.
 *
 * It is more than the state that a socket has room for, so it is allocated with the
 * flow, and each function of TCP's that comes before init(), or after memory was
 * short, finds none. The socket's lock guards it.
 */
#ifndef BBRS_BOUNDS_H
#define BBRS_BOUNDS_H

#include "flow.h"
#include "ring.h"

#define BBRS_NO_BOUND	U32_MAX

/* What the samples of bandwidth of these ACKs are of, and what the next round brings. */
enum bbrs_samples {
	BBRS_SAMPLES_OF_NOW,		/* nothing is to happen */
	BBRS_SAMPLES_REFILLING,		/* of before a probe */
	BBRS_SAMPLES_STARTING,		/* those of the probe come next */
	BBRS_SAMPLES_OF_PROBE,
	BBRS_SAMPLES_STOPPING,		/* of the probe, for a round still */
};

struct bbrs_bounds {
	/* For as long as no probe says otherwise. */
	u32 long_packets;	/* more in flight is lost; BBRS_NO_BOUND */
	u32 cycle_bw[2];	/* the highest of the cycle before, and of this one */

	/* Until the next probe. */
	u32 short_packets;	/* BBRS_NO_BOUND */
	u32 short_bw;		/* BBRS_NO_BOUND */

	/* The highest of this round. */
	u32 latest_packets;
	u32 latest_bw;
	u32 loss_round_end;	/* tp->delivered that ends it */

	/* This ACK's. */
	u32 sample_bw;
	struct bbrs_mark sent;	/* of the packet that it is for */

	/* The probe for bandwidth. */
	u32 probe_wait_us;	/* how long after DOWN began the next one is */
	u32 probe_rounds;	/* since then */
	u32 raise_rounds;	/* UP: how often the slope was doubled */
	u32 raise_every;	/* UP: so many ACKed packets let the bound rise by one */
	u32 raise_acked;	/* UP: ACKed since it rose */
	u32 drain_round;	/* when DRAIN began */

	/* The least RTT of PROBE_RTT's interval: probe_rtt.c. */
	u32 recent_rtt_us;
	u32 recent_rtt_jiffies;

	/* What was, should it turn out that nothing was lost. */
	u32 undo_long_packets;
	u32 undo_short_packets;
	u32 undo_short_bw;
	u8 undo_mode;
	u8 undo_phase;

	u8 samples;		/* enum bbrs_samples */
	u8 loss_events;		/* ACKs of this round that told of losses */
	bool loss_in_round;
	bool loss_round_began;	/* with this ACK */
	bool probe_counts;	/* losses are those of a probe that nobody answered yet */
	bool full_now;		/* the pipe is full, since one last looked */
	bool recent_rtt_expired;

	struct bbrs_ring ring;
};

static inline struct bbrs_bounds *bbrs_bounds(const struct sock *sk)
{
	return bbrs_flow(sk)->bounds;
}

/* UP and what comes before it, and STARTUP: losses are expected, and say where the end is. */
static inline bool bbrs_probes_bw(const struct bbrs_flow *flow)
{
	return flow->mode == BBRS_STARTUP ||
	       (flow->mode == BBRS_PROBE_BW &&
		(flow->phase == BBRS_UP || flow->phase == BBRS_REFILL));
}

void bbrs_bounds_note_ack(struct sock *sk, const struct rate_sample *rs);
void bbrs_bounds_note_losses(struct sock *sk, const struct rate_sample *rs);
void bbrs_bounds_update_latest(struct sock *sk, const struct rate_sample *rs);
void bbrs_bounds_update_bw(struct sock *sk, const struct rate_sample *rs);
void bbrs_bounds_update_short(struct sock *sk);
void bbrs_bounds_update_long(struct sock *sk, const struct rate_sample *rs);
void bbrs_bounds_forget_short(struct sock *sk);
void bbrs_bounds_forget_round(struct sock *sk);
bool bbrs_bounds_too_high(const struct sock *sk, struct bbrs_mark sent);
u32 bbrs_bounds_headroom(const struct sock *sk);
void bbrs_bounds_raise_slope(struct sock *sk);
void bbrs_bounds_save(struct sock *sk);
void bbrs_bounds_undo(struct sock *sk);
u32 bbrs_bounds_cwnd(const struct sock *sk);

#endif /* BBRS_BOUNDS_H */
