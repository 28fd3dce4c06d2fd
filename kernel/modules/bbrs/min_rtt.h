/* SPDX-License-Identifier: GPL-2.0 */
/* The least RTT, and PROBE_RTT, which renews it: min_rtt.c. */
#ifndef BBRS_MIN_RTT_H
#define BBRS_MIN_RTT_H

#include "flow.h"

/* Of both kinds. */
void bbrs_stay_in_probe_rtt(struct sock *sk, u32 packets,
			    void (*try_to_leave)(struct sock *sk));

void bbrs_update_min_rtt(struct sock *sk, const struct rate_sample *rs);
void bbrs_try_to_leave_probe_rtt(struct sock *sk);

#endif /* BBRS_MIN_RTT_H */
