// SPDX-License-Identifier: GPL-2.0
/*
 * The life of a frame, from ndo_start_xmit() to the peer.
 *
 *	 xmit		  clock: end_ns	      end_ns + propagation_ns
 *	  |			|			|
 *	  v			v			v	 interrupt
 *	[ wire ... ] ------> off the wire --> [ air ... ] --> [ arrivals ] --> up
 *			 |	^	     (orphan or clone)
 *			 |	| the skb is freed, the ring has room
 *			 v	|
 *		     [ left ... ]
 *		      until the completion is reported
 *
 * The ring of the transmitter holds what is in `wire` and in `left`: an skb
 * stays charged to its socket and to the byte queue limits from the instant the
 * driver takes it until its completion is reported. Not before the wire has sent
 * its last bit, and by nothing else, is it released; TCP Small Queues, BQL and
 * the qdisc above see what they see above a real NIC.
 *
 * There is only one skb, and it has to be both given back to the sender and
 * handed to the peer. Two ways, and which one is taken depends on the settings
 * at the instant the frame leaves:
 *
 *  - Completions are reported at once (tx-frames 1 or tx-usecs 0, the default).
 *    To report a completion is to run the skb's destructor, so skb_orphan() at
 *    that very instant *is* the completion. The same skb then travels on: no
 *    copy, no clone, no free.
 *
 *  - Completions wait (tx-usecs, tx-frames). A clone, which no socket is charged
 *    for, travels on at once; the original goes to `left`. The first one in
 *    `left` sets the deadline; a report frees all that are there, as an
 *    interrupt handler cleans all finished descriptors.
 *
 * When the receiver looks at what has arrived is up to its moderation.h.
 *
 * One timer serves all four kinds of events (end of frame, report, arrival, the
 * receiver's interrupt); it stands at the earliest. Its handler only schedules the
 * receiver's NAPI, which calls wireline_lane_collect(). Without waiting
 * completions, propagation and moderation the four coincide: one expiry per frame.
 *
 * The sender's queue is stopped while the ring is full. Both happens under the
 * lane's lock, so that no wake-up is lost.
 */

#include <linux/netdevice.h>
#include <linux/timekeeping.h>

#include "frame.h"
#include "lane.h"

/* Caller holds the lock. */
static u64 report_deadline_ns(const struct wireline_lane *lane)
{
	const struct sk_buff *oldest = skb_peek(&lane->left);

	return wireline_frame(oldest)->event_ns +
	       (u64)lane->config.report_usecs * NSEC_PER_USEC;
}

/* Caller holds the lock. */
static u64 next_event_ns(const struct wireline_lane *lane)
{
	const struct sk_buff *skb;
	u64 next_ns = WIRELINE_NEVER_NS;

	skb = skb_peek(&lane->wire);
	if (skb)
		next_ns = wireline_frame(skb)->event_ns;
	skb = skb_peek(&lane->air);
	if (skb)
		next_ns = min(next_ns, wireline_frame(skb)->event_ns);
	if (!skb_queue_empty(&lane->left))
		next_ns = min(next_ns, report_deadline_ns(lane));
	return min(next_ns, wireline_arrivals_due_ns(&lane->arrivals));
}

/*
 * Make sure that the lane is looked after at @at_ns. If the timer stands at an
 * earlier event already, or has fired for one, then the visit that follows will
 * arm it for this one. Caller holds the lock.
 */
static void arm(struct wireline_lane *lane, u64 now_ns, u64 at_ns)
{
	u64 expires_ns;

	if (lane->armed_ns <= at_ns)
		return;

	lane->armed_ns = at_ns;
	lane->stats.timer_starts++;
	expires_ns = wireline_clock_step_at(now_ns, at_ns, lane->clock_step_ns);
	hrtimer_start(&lane->timer, ns_to_ktime(expires_ns), HRTIMER_MODE_ABS);
}

/*
 * When a frame that is sent now was ready for the wire. If the wire was seen to
 * run dry at this very instant, then what is sent is the answer to that (a ring
 * of one frame, a sender that may have so much in flight), and the clock's grain
 * is all that lies between the end of the last frame and now: a finer clock
 * would have shown that end. So the wire goes on without a break. Only a clock
 * that stands still while the stack works, as virtual time does, can show the
 * same instant twice. Caller holds the lock.
 */
static u64 ready_ns(const struct wireline_lane *lane, u64 now_ns)
{
	return now_ns == lane->idle_seen_ns ? lane->clock.free_ns : now_ns;
}

/*
 * Takes @skb, unless it returns false: no link. Called by ndo_start_xmit() only,
 * which the core serialises.
 */
bool wireline_lane_send(struct wireline_lane *lane, struct sk_buff *skb)
{
	struct wireline_frame *frame = wireline_frame(skb);
	u64 now_ns;

	wireline_frame_measure(skb);

	spin_lock(&lane->lock);
	if (unlikely(!lane->open)) {
		lane->stats.dropped_no_link++;
		spin_unlock(&lane->lock);
		return false;
	}

	now_ns = ktime_get_ns();
	frame->event_ns = wireline_clock_occupy(&lane->clock,
						ready_ns(lane, now_ns),
						frame->wire_bytes,
						frame->frames);
	__skb_queue_tail(&lane->wire, skb);
	netdev_sent_queue(lane->dev, skb->len);
	if (wireline_lane_ring_used(lane) >= lane->config.ring_frames) {
		netif_stop_queue(lane->dev);
		lane->stats.ring_full++;
	}
	arm(lane, now_ns, frame->event_ns);
	spin_unlock(&lane->lock);
	return true;
}

struct completions {
	unsigned int skbs;
	unsigned int bytes;
};

/* Tell the byte queue limits and the queue. Caller holds the lock. */
static void account_report(struct wireline_lane *lane,
			   const struct completions *done)
{
	if (!done->skbs)
		return;

	lane->stats.reports++;
	lane->stats.reported_skbs += done->skbs;
	netdev_completed_queue(lane->dev, done->skbs, done->bytes);
	if (netif_queue_stopped(lane->dev) &&
	    wireline_lane_ring_used(lane) < lane->config.ring_frames)
		netif_wake_queue(lane->dev);
}

static bool reports_at_once(const struct wireline_lane_config *config)
{
	return !config->report_usecs || config->report_frames == 1;
}

/* How long a frame that left the wire at @left_ns is on its way. Caller holds the lock. */
static u64 propagation_ns(struct wireline_lane *lane, u64 left_ns)
{
	if (unlikely(lane->delays))
		return wireline_schedule_delay_ns(lane->delays, left_ns);
	return lane->config.propagation_ns;
}

/*
 * What has left the wire by @now_ns goes to @ended, with its time of arrival;
 * what is reported late leaves a clone there. Caller holds the lock.
 */
static void take_off_wire(struct wireline_lane *lane, u64 now_ns,
			  struct sk_buff_head *ended, struct completions *done)
{
	bool at_once = reports_at_once(&lane->config);
	struct sk_buff *skb, *sent;

	while ((skb = skb_peek(&lane->wire)) &&
	       wireline_frame(skb)->event_ns <= now_ns) {
		__skb_unlink(skb, &lane->wire);
		lane->stats.skbs++;
		lane->stats.skb_bytes += skb->len;
		lane->stats.frames += wireline_frame(skb)->frames;
		lane->stats.wire_bytes += wireline_frame(skb)->wire_bytes;

		if (at_once) {
			done->skbs++;
			done->bytes += skb->len;
			sent = skb;
		} else {
			sent = skb_clone(skb, GFP_ATOMIC);
			__skb_queue_tail(&lane->left, skb);
			if (unlikely(!sent)) {
				lane->stats.dropped_no_memory++;
				continue;
			}
		}
		wireline_frame(sent)->event_ns +=
			propagation_ns(lane, wireline_frame(sent)->event_ns);
		__skb_queue_tail(ended, sent);
		if (skb_queue_empty(&lane->wire))
			lane->idle_seen_ns = now_ns;
	}
}

/* Move what is to be reported by now to @reported. Caller holds the lock. */
static void take_reported(struct wireline_lane *lane, u64 now_ns,
			  struct sk_buff_head *reported,
			  struct completions *done)
{
	u32 enough = lane->config.report_frames;
	struct sk_buff *skb;

	if (skb_queue_empty(&lane->left))
		return;
	if (now_ns < report_deadline_ns(lane) &&
	    (!enough || skb_queue_len(&lane->left) < enough))
		return;

	skb_queue_walk(&lane->left, skb) {
		done->skbs++;
		done->bytes += skb->len;
	}
	skb_queue_splice_tail_init(&lane->left, reported);
}

/*
 * Put @ended on its way, and what has arrived before the receiver. A wire does not
 * reorder: a frame behind a slower one (propagation_ns was lowered) arrives with
 * it. Caller holds the lock.
 */
static void pass_through_air(struct wireline_lane *lane, u64 now_ns,
			     struct sk_buff_head *ended)
{
	struct sk_buff *skb;

	skb_queue_splice_tail_init(ended, &lane->air);
	while ((skb = skb_peek(&lane->air)) &&
	       wireline_frame(skb)->event_ns <= now_ns) {
		__skb_unlink(skb, &lane->air);
		wireline_arrivals_add(&lane->arrivals, skb);
	}
}

/*
 * Do all that is due: complete what has left the wire, and move to @arrived, at
 * most @budget of them, the skbs that the receiver's interrupt takes up. Returns
 * whether there are more; if not, the timer is armed for the next event. Called
 * by the receiver's NAPI only.
 *
 * Destructors run without the lock: a socket's may send.
 */
bool wireline_lane_collect(struct wireline_lane *lane, int budget,
			   struct sk_buff_head *arrived)
{
	struct sk_buff_head ended, reported;
	struct completions done = {};
	u64 now_ns = ktime_get_ns();
	struct sk_buff *skb;
	bool more = false;

	__skb_queue_head_init(&ended);
	__skb_queue_head_init(&reported);

	spin_lock(&lane->lock);
	if (lane->armed_ns <= now_ns)
		lane->armed_ns = WIRELINE_NEVER_NS;
	take_off_wire(lane, now_ns, &ended, &done);
	take_reported(lane, now_ns, &reported, &done);
	account_report(lane, &done);
	spin_unlock(&lane->lock);

	while ((skb = __skb_dequeue(&reported)))
		napi_consume_skb(skb, budget);
	skb_queue_walk(&ended, skb)
		skb_orphan(skb);

	spin_lock(&lane->lock);
	if (likely(lane->open)) {
		pass_through_air(lane, now_ns, &ended);
		more = wireline_arrivals_take(&lane->arrivals, now_ns, budget,
					      arrived);
		if (!more)
			arm(lane, now_ns, next_event_ns(lane));
	} else {
		lane->stats.dropped_no_link += skb_queue_len(&ended);
	}
	spin_unlock(&lane->lock);

	__skb_queue_purge(&ended);
	return more;
}
