/* SPDX-License-Identifier: GPL-2.0 */
/* What TCP calls of a control of bbr2's kind: bounded.c. */
#ifndef BBRS_BOUNDED_H
#define BBRS_BOUNDED_H

#include "compat.h"
#include "control.h"
#include "flow.h"

void bbrs_bounded_init(struct sock *sk);
void bbrs_bounded_release(struct sock *sk);
void bbrs_bounded_control(struct sock *sk, BBRS_ACK_AND_FLAG const struct rate_sample *rs);
void bbrs_bounded_set_state(struct sock *sk, u8 state);
void bbrs_bounded_cwnd_event(struct sock *sk, enum tcp_ca_event event);
u32 bbrs_bounded_ssthresh(struct sock *sk);
u32 bbrs_bounded_undo_cwnd(struct sock *sk);

/* The operations that all of that kind share. */
#define BBRS_BOUNDED_OPS(control_name)			\
	.flags		= TCP_CONG_NON_RESTRICTED,	\
	.name		= control_name,			\
	.owner		= THIS_MODULE,			\
	.init		= bbrs_bounded_init,		\
	.release	= bbrs_bounded_release,		\
	.cong_control	= bbrs_bounded_control,		\
	.set_state	= bbrs_bounded_set_state,	\
	.cwnd_event	= bbrs_bounded_cwnd_event,	\
	.ssthresh	= bbrs_bounded_ssthresh,	\
	.undo_cwnd	= bbrs_bounded_undo_cwnd,	\
	.sndbuf_expand	= bbrs_sndbuf_expand,		\
	BBRS_SEGS_OP,					\
	.get_info	= bbrs_get_info

#endif /* BBRS_BOUNDED_H */
