/* SPDX-License-Identifier: GPL-2.0 */
/* The modes, and the cycle of PROBE_BW: cycle.c. */
#ifndef BBRS_CYCLE_H
#define BBRS_CYCLE_H

#include "flow.h"

#define BBRS_V1_PHASES	8

u8 bbrs_v1_phases(void);
u16 bbrs_v1_phase_gain(u8 phase);
void bbrs_v1_update_phase(struct sock *sk, const struct rate_sample *rs);
void bbrs_drain_to_target(struct sock *sk, const struct rate_sample *rs);

/* Of both kinds. */
bool bbrs_update_mode_gains(struct sock *sk, u16 probe_rtt_cwnd);

void bbrs_enter_probe_bw(struct sock *sk);
void bbrs_leave_probe_rtt(struct sock *sk);
void bbrs_update_full(struct sock *sk, const struct rate_sample *rs);
void bbrs_forget_full(struct sock *sk);
void bbrs_update_drain(struct sock *sk);
void bbrs_update_phase(struct sock *sk, const struct rate_sample *rs);
void bbrs_update_gains(struct sock *sk);

#endif /* BBRS_CYCLE_H */
