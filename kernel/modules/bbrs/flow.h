/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A flow's state, and what makes its control the one that it is.
 *
 * All controls of this module share one core. What they differ in is a struct
 * bbrs_rules: constants, and a function for each step that is not the same in
 * all. A socket finds its own through its operations, so that nothing of it is in
 * the flow's own state, which has the 104 bytes that a socket keeps for any control.
 *
 * The socket's lock guards a flow. Rules are constant.
 */
#ifndef BBRS_FLOW_H
#define BBRS_FLOW_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/win_minmax.h>
#include <net/tcp.h>

/* Gains are in 1/256: 320 is 1.25. */
#define BBRS_GAIN_SHIFT		8
#define BBRS_GAIN_1		((u32)BIT(BBRS_GAIN_SHIFT))
#define BBRS_GAIN_PERCENT(n)	((n) * BBRS_GAIN_1 / 100)

/* What a flow is about. */
enum bbrs_mode {
	BBRS_STARTUP,	/* doubles its rate each round until the pipe is full */
	BBRS_DRAIN,	/* lets the queue go that this has built */
	BBRS_PROBE_BW,	/* goes on at what it has found, and probes for more */
	BBRS_PROBE_RTT,	/* holds back, to see the path without its own queue */
};

/* What the phases of PROBE_BW are, as positions in the cycle. */
enum {
	BBRS_UP,	/* above the estimate */
	BBRS_DOWN,	/* below it */
	BBRS_CRUISE,	/* at the estimate; of v1's kind this one and all after it */
	BBRS_REFILL,	/* of bbr2's kind: at the estimate, before UP */
};

/* How often what is lost is looked at for a policer: policer.c. */
struct bbrs_policer {
	u32 start_ms;		/* when the interval began */
	u32 start_delivered;	/* tp->delivered then */
	u32 start_lost;		/* tp->lost then */
	u8 rounds;		/* since then, or since its rate is obeyed */
	bool watches;		/* an interval has begun */
};

struct bbrs_bounds;

struct bbrs_flow {
	u64 phase_us;		/* when the phase of the cycle began */
	u64 epoch_us;		/* when epoch_acked began to count */

	struct minmax max_bw;	/* bandwidth.c, by rounds */
	union {
		struct bbrs_policer policer;	/* of v1's kind */
		struct bbrs_bounds *bounds;	/* of bbr2's kind: bounds.h */
	};
	u32 rounds;		/* so many have begun */
	u32 round_end;		/* tp->delivered that ends this one */

	u32 min_rtt_us;
	u32 min_rtt_jiffies;	/* when it was measured */
	u32 probe_rtt_end;	/* in jiffies; 0: not known yet */
	u32 good_cwnd;		/* the one of before losses, or before PROBE_RTT */

	u32 full_bw;		/* what the bandwidth has to exceed in STARTUP */
	u32 epoch_acked;	/* packets; window.c */
	u16 extra_acked[2];	/* most of this window of rounds, and of the last */

	u32 other_bw;		/* the policer's, or the bound's; 0: none */

	u16 pacing_gain;
	u16 cwnd_gain;
	u32 mode:2,		/* enum bbrs_mode */
	    phase:6,		/* position in the cycle */
	    cycle_rtts:4,	/* how long a cycle of bbrdev's kind is */
	    ca_state:3,		/* of TCP, at the last ACK */
	    extra_rounds:5,	/* how old extra_acked[extra_now] is */
	    extra_now:1,
	    full_rounds:2,	/* rounds without growth in STARTUP */
	    obeys:1,		/* other_bw is the rate to send at */
	    full:1,		/* the pipe was full once */
	    round_began:1,	/* with this ACK */
	    conserves:1,	/* a packet out for a packet ACKed */
	    restarts:1,		/* after it was idle */
	    rtt_seen:1,		/* there is a smoothed RTT */
	    probe_rtt_round:1;	/* a round of PROBE_RTT has passed */
};

static_assert(sizeof(struct bbrs_flow) <= ICSK_CA_PRIV_SIZE);

struct bbrs_rules {
	/* Gains. */
	u16 startup_pacing;
	u16 startup_cwnd;
	u16 drain_pacing;
	u16 probe_cwnd;
	/* Of how many rounds extra_acked is the highest, once or twice so many. */
	u8 extra_rounds;
	/* Whether the estimator of extra_acked is a part of the control itself,
	 * whatever age.h says of BBR's.
	 */
	bool own_extra_acked;
	/* Whether all of age.h is older than the control. */
	bool ageless;

	/* Whether it counts, of one round, before the pipe was full. */
	bool extra_in_startup;
	/* Whether what hosts need is the least of a target, and not added to it. */
	bool budget_is_least;

	/* Of v1's kind. How many phases a cycle has. */
	u8 (*phases)(void);
	/* PROBE_BW, at each ACK: go on to the next phase if it is time. */
	void (*update_phase)(struct sock *sk, const struct rate_sample *rs);

	/* Of bbr2's kind. The gain of cwnd in UP. */
	u16 up_cwnd;
	/* How many losses in a round end STARTUP, if they are too many. */
	u8 startup_losses;
	/* Whether UP is over, but for losses. */
	bool (*up_is_over)(struct sock *sk, const struct rate_sample *rs);

	/* The pacing gain of a phase. */
	u16 (*phase_gain)(u8 phase);
	/* What becomes of a pacing rate, in bytes/s, before it is one. */
	u64 (*pace)(const struct sock *sk, u64 bytes_per_s);
};

/* A congestion control: what TCP knows of it, and what we do. */
struct bbrs_control {
	struct tcp_congestion_ops ops;
	struct bbrs_rules rules;
};

static inline struct bbrs_flow *bbrs_flow(const struct sock *sk)
{
	return (struct bbrs_flow *)inet_csk(sk)->icsk_ca_priv;
}

static inline const struct bbrs_rules *bbrs_rules(const struct sock *sk)
{
	return &container_of_const(inet_csk(sk)->icsk_ca_ops,
				   struct bbrs_control, ops)->rules;
}

#endif /* BBRS_FLOW_H */
