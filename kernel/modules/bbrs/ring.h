/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What was in flight when a packet was sent, and what had been lost by then.
 *
 * TCP of mainline keeps neither with a packet. But it keeps how much had been
 * delivered then, and that is a clock: so each ACK leaves a mark of (delivered, in
 * flight, lost) in a ring, and a packet's is the last one with no more delivered.
 *
 * The error is what was sent between two marks: of a flow that is paced, with an ACK
 * for every other packet, one or two packets; of one that sends large skbs, an skb.
 * Marks are at least 1/128 of cwnd apart, so that the ring holds two windows whatever
 * their size. A packet that is older than the ring is taken for as old as its oldest.
 */
#ifndef BBRS_RING_H
#define BBRS_RING_H

#include <linux/types.h>

#define BBRS_RING_MARKS		256
#define BBRS_RING_PER_CWND	(BBRS_RING_MARKS / 2)

struct bbrs_mark {
	u32 delivered;
	u32 in_flight;
	u32 lost;
};

struct bbrs_ring {
	struct bbrs_mark marks[BBRS_RING_MARKS];
	u64 count;	/* so many were left; the last is at (count - 1) % MARKS */
};

void bbrs_ring_add(struct bbrs_ring *ring, struct bbrs_mark mark, u32 cwnd);
struct bbrs_mark bbrs_ring_find(const struct bbrs_ring *ring, u32 delivered);

#endif /* BBRS_RING_H */
