/* SPDX-License-Identifier: GPL-2.0 */
/* How much is to be in flight, and how much is: window.c. */
#ifndef BBRS_WINDOW_H
#define BBRS_WINDOW_H

#include "flow.h"

/* With fewer packets in flight there is nobody to clock the next ones. */
#define BBRS_CWND_MIN	4

u32 bbrs_min_tso_segs(struct sock *sk);
u32 bbrs_skb_packets(struct sock *sk);
u32 bbrs_bdp(const struct sock *sk, u32 bw, u32 gain);
u32 bbrs_with_budget(struct sock *sk, u32 packets);
u32 bbrs_target(struct sock *sk, u32 bw, u32 gain);
u32 bbrs_at_departure(struct sock *sk, u32 in_flight);
u32 bbrs_extra_cwnd(const struct sock *sk);
void bbrs_restart_epoch(struct sock *sk, u64 now_us);
void bbrs_update_extra_acked(struct sock *sk, const struct rate_sample *rs);
void bbrs_save_cwnd(struct sock *sk);
void bbrs_restore_cwnd(struct sock *sk);
u32 bbrs_step_cwnd(struct sock *sk, u32 cwnd, u32 acked);
void bbrs_update_cwnd(struct sock *sk, const struct rate_sample *rs);

#endif /* BBRS_WINDOW_H */
