/* SPDX-License-Identifier: GPL-2.0 */
/* What TCP calls of a control of the first version's kind: control.c. */
#ifndef BBRS_CONTROL_H
#define BBRS_CONTROL_H

#include "compat.h"
#include "flow.h"

/* Of both kinds. */
void bbrs_begin(struct sock *sk);
void bbrs_restart(struct sock *sk, enum tcp_ca_event event,
		  void (*try_to_leave_probe_rtt)(struct sock *sk));

void bbrs_init(struct sock *sk);
void bbrs_control(struct sock *sk, BBRS_ACK_AND_FLAG const struct rate_sample *rs);
void bbrs_set_state(struct sock *sk, u8 state);
void bbrs_cwnd_event(struct sock *sk, enum tcp_ca_event event);
u32 bbrs_ssthresh(struct sock *sk);
u32 bbrs_undo_cwnd(struct sock *sk);
u32 bbrs_sndbuf_expand(struct sock *sk);
u32 bbrs_min_tso_segs(struct sock *sk);
u32 bbrs_tso_segs(struct sock *sk, unsigned int mss_now);
size_t bbrs_get_info(struct sock *sk, u32 ext, int *attr, union tcp_cc_info *info);

/* The operations that all of that kind share. */
#define BBRS_V1_OPS(control_name)			\
	.flags		= TCP_CONG_NON_RESTRICTED,	\
	.name		= control_name,			\
	.owner		= THIS_MODULE,			\
	.init		= bbrs_init,			\
	.cong_control	= bbrs_control,			\
	.set_state	= bbrs_set_state,		\
	.cwnd_event	= bbrs_cwnd_event,		\
	.ssthresh	= bbrs_ssthresh,		\
	.undo_cwnd	= bbrs_undo_cwnd,		\
	.sndbuf_expand	= bbrs_sndbuf_expand,		\
	BBRS_SEGS_OP,					\
	.get_info	= bbrs_get_info

/* And their gains: 2 / ln 2, rounded up, and its inverse. */
#define BBRS_V1_HIGH_GAIN	(BBRS_GAIN_1 * 2885 / 1000 + 1)
#define BBRS_V1_GAINS						\
	.startup_pacing	= BBRS_V1_HIGH_GAIN,			\
	.startup_cwnd	= BBRS_V1_HIGH_GAIN,			\
	.drain_pacing	= BBRS_GAIN_1 * 1000 / 2885,		\
	.probe_cwnd	= 2 * BBRS_GAIN_1

extern struct bbrs_control bbrs_bbrplus;
extern struct bbrs_control bbrs_bbrdev;
extern struct bbrs_control bbrs_bbr_cycle;
extern struct bbrs_control bbrs_bbr2;
extern struct bbrs_control bbrs_bbr3;

#endif /* BBRS_CONTROL_H */
