/* SPDX-License-Identifier: GPL-2.0 */
/* PROBE_BW of four phases, and how STARTUP and DRAIN lead to it: probe.c. */
#ifndef BBRS_PROBE_H
#define BBRS_PROBE_H

#include "flow.h"

u32 bbrs_wanted(const struct sock *sk);
void bbrs_probe_forget_full(struct sock *sk);
void bbrs_probe_update_full(struct sock *sk, const struct rate_sample *rs);
void bbrs_probe_update_startup(struct sock *sk);
void bbrs_probe_update_phase(struct sock *sk, const struct rate_sample *rs);
void bbrs_probe_down(struct sock *sk);
void bbrs_probe_up(struct sock *sk);
void bbrs_probe_resume(struct sock *sk);
void bbrs_probe_update_gains(struct sock *sk);

#endif /* BBRS_PROBE_H */
