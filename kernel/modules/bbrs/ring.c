// SPDX-License-Identifier: GPL-2.0
/* The ring of marks; ring.h says what they are for. */

#include <linux/minmax.h>
#include <net/tcp.h>

#include "ring.h"

static const struct bbrs_mark *ring_at(const struct bbrs_ring *ring, u64 number)
{
	return &ring->marks[number % BBRS_RING_MARKS];
}

/* A mark so near to the last one that it would push out others too early is left out. */
void bbrs_ring_add(struct bbrs_ring *ring, struct bbrs_mark mark, u32 cwnd)
{
	if (ring->count && mark.delivered - ring_at(ring, ring->count - 1)->delivered <
			   max(cwnd / BBRS_RING_PER_CWND, 1u))
		return;
	ring->marks[ring->count++ % BBRS_RING_MARKS] = mark;
}

/* The mark of a packet before which so much was @delivered. Of none, an empty one. */
struct bbrs_mark bbrs_ring_find(const struct bbrs_ring *ring, u32 delivered)
{
	u64 first = ring->count - min_t(u64, ring->count, BBRS_RING_MARKS);
	u64 low = first, high = ring->count;

	if (!ring->count)
		return (struct bbrs_mark){};
	/* Marks before low are not younger than the packet, those from high on are. */
	while (low < high) {
		u64 middle = low + (high - low) / 2;

		if (after(ring_at(ring, middle)->delivered, delivered))
			high = middle;
		else
			low = middle + 1;
	}
	return *ring_at(ring, max(low, first + 1) - 1);
}
