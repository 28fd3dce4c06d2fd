/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which of BBR's changes since Linux 4.13 the first version's kind is without.
 *
 * The core is today's BBR. A kernel may have an older one, and what is held
 * against that has to be as old: each of these takes one upstream change back, in
 * all flows at once, as the patch of that name does for the kernel's own BBR
 * (kernel/patches/history/bbr-NAME.patch). They are parameters of the module,
 * which may be written at any time: without_NAME. bbr2 and bbr3 are younger than
 * all of these changes, and do not look at them.
 */
#ifndef BBRS_AGE_H
#define BBRS_AGE_H

#include "flow.h"

struct bbrs_without {
	bool ack_aggregation;	/* v5.1: cwnd grows with aggregates of ACKs */
	bool delayed_ack_rtt;	/* v4.16: a delayed ACK renews no RTT */
	bool edt;		/* v4.20: in flight is counted at departure */
	bool gso_budget;	/* v4.16: large skbs, whatever the device takes */
	bool pacing_margin;	/* v4.20: 1 % below the estimate */
	bool small_bdp;		/* v5.0: two packets more while probing */
};

extern struct bbrs_without bbrs_age;
extern const struct bbrs_without bbrs_ageless;

/* What the control of @sk is without. */
static inline const struct bbrs_without *bbrs_without(const struct sock *sk)
{
	return bbrs_rules(sk)->ageless ? &bbrs_ageless : &bbrs_age;
}

#endif /* BBRS_AGE_H */
