/* SPDX-License-Identifier: GPL-2.0 */
/* The least RTT, and PROBE_RTT, of bbr2's kind: probe_rtt.c. */
#ifndef BBRS_PROBE_RTT_H
#define BBRS_PROBE_RTT_H

#include "flow.h"

u32 bbrs_probe_rtt_cwnd(const struct sock *sk);
void bbrs_probe_rtt_try_to_leave(struct sock *sk);
void bbrs_probe_rtt_update(struct sock *sk, const struct rate_sample *rs);

#endif /* BBRS_PROBE_RTT_H */
