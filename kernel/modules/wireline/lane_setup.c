// SPDX-License-Identifier: GPL-2.0
/*
 * A lane when no frame is looked at: made, opened, closed, set, counted.
 *
 * Only an open lane takes skbs and arms its timer. Closing one is what link loss
 * does to a NIC: the ring is cleaned, all that was on the way is lost. After
 * wireline_lane_close() the lane holds no skb and its timer does not run; both
 * stays so until wireline_lane_open().
 */

#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/netdevice.h>
#include <linux/timekeeping.h>

#include "compat.h"
#include "lane.h"

/* @due runs in the timer's (hard) interrupt. */
void wireline_lane_init(struct wireline_lane *lane, struct net_device *dev,
			enum hrtimer_restart (*due)(struct hrtimer *))
{
	lane->dev = dev;
	spin_lock_init(&lane->lock);
	__skb_queue_head_init(&lane->wire);
	__skb_queue_head_init(&lane->left);
	__skb_queue_head_init(&lane->air);
	__skb_queue_head_init(&lane->arrivals.waiting);
	lane->armed_ns = WIRELINE_NEVER_NS;
	lane->idle_seen_ns = WIRELINE_NEVER_NS;
	wireline_clock_set_speed(&lane->clock, WIRELINE_SPEED_DEFAULT_MBPS);
	lane->config.speed_mbps = WIRELINE_SPEED_DEFAULT_MBPS;
	lane->config.ring_frames = WIRELINE_RING_DEFAULT_FRAMES;
	lane->config.report_frames = 1;
	wireline_hrtimer_setup(&lane->timer, due, CLOCK_MONOTONIC,
			       HRTIMER_MODE_ABS);
}

/* Caller holds RTNL. */
void wireline_lane_open(struct wireline_lane *lane)
{
	spin_lock_bh(&lane->lock);
	lane->clock_step_ns = ktime_get_resolution_ns();
	lane->open = true;
	netif_wake_queue(lane->dev);
	spin_unlock_bh(&lane->lock);
}

/* Caller holds RTNL. Sleeps for the timer's handler. */
void wireline_lane_close(struct wireline_lane *lane)
{
	struct sk_buff_head lost;
	struct sk_buff *skb;

	__skb_queue_head_init(&lost);

	spin_lock_bh(&lane->lock);
	lane->open = false;
	lane->stats.dropped_no_link += skb_queue_len(&lane->wire) +
				       skb_queue_len(&lane->air) +
				       skb_queue_len(&lane->arrivals.waiting);
	skb_queue_splice_init(&lane->wire, &lost);
	skb_queue_splice_init(&lane->air, &lost);
	skb_queue_splice_init(&lane->left, &lost);
	skb_queue_splice_init(&lane->arrivals.waiting, &lost);
	lane->arrivals.frames = 0;
	lane->arrivals.raised = false;
	lane->armed_ns = WIRELINE_NEVER_NS;
	/* The next link starts with an idle wire. */
	lane->idle_seen_ns = WIRELINE_NEVER_NS;
	lane->clock.free_ns = 0;
	netdev_reset_queue(lane->dev);
	spin_unlock_bh(&lane->lock);

	hrtimer_cancel(&lane->timer);
	while ((skb = __skb_dequeue(&lost)))
		kfree_skb(skb);
}

void wireline_lane_get_config(struct wireline_lane *lane,
			      struct wireline_lane_config *config)
{
	spin_lock_bh(&lane->lock);
	*config = lane->config;
	spin_unlock_bh(&lane->lock);
}

/* Look at the lane now: what is due may have changed. Caller holds the lock. */
static void visit(struct wireline_lane *lane)
{
	if (!lane->open)
		return;
	lane->armed_ns = ktime_get_ns();
	hrtimer_start(&lane->timer, ns_to_ktime(lane->armed_ns),
		      HRTIMER_MODE_ABS);
}

/*
 * Take over @config, whose values the caller has checked. It holds RTNL, which
 * keeps apart those who get, change and set a configuration.
 *
 * What is under way: a frame keeps the end and the arrival that were computed
 * for it; a completion that waits is judged by the new rule at once; a ring that
 * holds more than it may takes nothing until it holds less.
 */
void wireline_lane_configure(struct wireline_lane *lane,
			     const struct wireline_lane_config *config)
{
	spin_lock_bh(&lane->lock);
	if (config->speed_mbps != lane->config.speed_mbps)
		wireline_clock_set_speed(&lane->clock, config->speed_mbps);
	lane->config = *config;
	if (lane->open) {
		if (wireline_lane_ring_used(lane) >= config->ring_frames)
			netif_stop_queue(lane->dev);
		else
			netif_wake_queue(lane->dev);
	}
	visit(lane);
	spin_unlock_bh(&lane->lock);
}

/*
 * Take over @schedule, or none of that kind if it is NULL. The caller has checked
 * it, gives it away, and holds RTNL. A frame that is under way keeps its end.
 */
void wireline_lane_schedule(struct wireline_lane *lane,
			    enum wireline_schedule_kind kind,
			    struct wireline_schedule *schedule)
{
	spin_lock_bh(&lane->lock);
	if (kind == WIRELINE_DELAYS) {
		if (schedule)
			wireline_schedule_begin(schedule,
						lane->config.propagation_ns);
		swap(lane->delays, schedule);
	} else {
		schedule = wireline_clock_set_schedule(&lane->clock, schedule);
	}
	spin_unlock_bh(&lane->lock);
	kvfree(schedule);
}

/*
 * Take over what the receiver of @lane has set, whose values the caller has
 * checked. It holds RTNL. What waits already is judged by the new rule at once.
 */
void wireline_lane_moderate(struct wireline_lane *lane,
			    const struct wireline_moderation *moderation)
{
	spin_lock_bh(&lane->lock);
	lane->arrivals.moderation = *moderation;
	visit(lane);
	spin_unlock_bh(&lane->lock);
}

void wireline_lane_get_stats(struct wireline_lane *lane,
			     struct wireline_lane_stats *stats, u32 *ring_used)
{
	spin_lock_bh(&lane->lock);
	*stats = lane->stats;
	*ring_used = wireline_lane_ring_used(lane);
	spin_unlock_bh(&lane->lock);
}
