/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A lane: one direction of a cable, with the transmitter that feeds it.
 * lane.c says what becomes of a frame, lane_setup.c has the rest.
 */
#ifndef WIRELINE_LANE_H
#define WIRELINE_LANE_H

#include <linux/hrtimer.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>

#include "clock.h"
#include "moderation.h"

struct net_device;

#define WIRELINE_RING_MIN_FRAMES	1
#define WIRELINE_RING_MAX_FRAMES	65536
#define WIRELINE_RING_DEFAULT_FRAMES	256

#define WIRELINE_REPORT_MAX_USECS	(10 * USEC_PER_SEC)
#define WIRELINE_REPORT_MAX_FRAMES	WIRELINE_RING_MAX_FRAMES

/* Counts since the device was made. "Frames" are what is on the wire: a TSO
 * super-frame is one skb and many frames.
 */
struct wireline_lane_stats {
	u64 skbs;		/* have left the wire */
	u64 skb_bytes;		/* their skb->len */
	u64 frames;
	u64 wire_bytes;		/* with FCS, padding, preamble and gap */
	u64 reported_skbs;	/* completed, that is, off the ring */
	u64 reports;		/* completion events */
	u64 ring_full;		/* times that the ring filled up */
	u64 timer_starts;
	u64 dropped_no_link;	/* skbs lost to a link that was or went down */
	u64 dropped_no_memory;	/* skbs that left, but could not be cloned */
};

/* The settings of a lane; see wireline_lane_configure(). */
struct wireline_lane_config {
	u32 speed_mbps;
	u32 ring_frames;	/* skbs that the ring holds until completion */
	u32 report_usecs;	/* a completion waits this long at most */
	u32 report_frames;	/* so many are reported at once; 0: any number */
	u64 propagation_ns;	/* between the wire's end here and the peer */
};

struct wireline_lane {
	/* These are set once, in wireline_lane_init(). */
	struct net_device *dev;		/* the sender */
	struct hrtimer timer;

	/*
	 * Guards all that follows, and the byte queue limits of dev's queue.
	 * Taken with softirqs off; the timer does not take it.
	 */
	spinlock_t lock;
	bool open;			/* if not: no skbs, and no timer */
	u32 clock_step_ns;		/* see wireline_clock_step_at() */
	u64 armed_ns;			/* the event that the timer is for */
	u64 idle_seen_ns;		/* when the wire was last seen to run dry */
	struct wireline_clock clock;
	struct wireline_schedule *delays;	/* in the place of propagation_ns; or NULL */
	struct wireline_lane_config config;
	struct sk_buff_head wire;	/* on the wire or waiting for it */
	struct sk_buff_head left;	/* off the wire, completion to come */
	struct sk_buff_head air;	/* on the way to the peer */
	struct wireline_arrivals arrivals; /* there, interrupt to come */
	struct wireline_lane_stats stats;
};

/* Caller holds the lock. */
static inline u32 wireline_lane_ring_used(const struct wireline_lane *lane)
{
	return skb_queue_len(&lane->wire) + skb_queue_len(&lane->left);
}

bool wireline_lane_send(struct wireline_lane *lane, struct sk_buff *skb);
bool wireline_lane_collect(struct wireline_lane *lane, int budget,
			   struct sk_buff_head *arrived);

void wireline_lane_init(struct wireline_lane *lane, struct net_device *dev,
			enum hrtimer_restart (*due)(struct hrtimer *));
void wireline_lane_open(struct wireline_lane *lane);
void wireline_lane_close(struct wireline_lane *lane);

void wireline_lane_get_config(struct wireline_lane *lane,
			      struct wireline_lane_config *config);
void wireline_lane_configure(struct wireline_lane *lane,
			     const struct wireline_lane_config *config);
void wireline_lane_schedule(struct wireline_lane *lane,
			    enum wireline_schedule_kind kind,
			    struct wireline_schedule *schedule);
void wireline_lane_moderate(struct wireline_lane *lane,
			    const struct wireline_moderation *moderation);
void wireline_lane_get_stats(struct wireline_lane *lane,
			     struct wireline_lane_stats *stats,
			     u32 *ring_used);

#endif /* WIRELINE_LANE_H */
