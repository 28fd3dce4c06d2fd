/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Receive interrupt moderation: when a receiver looks at what has arrived.
 *
 *	on the way ---> arrived [ waiting ... ] ---> interrupt: all go up
 *
 * The interrupt is raised as soon as
 *
 *	the first frame that waits has waited for `usecs`,
 *	or `frames` of them wait (0: any number);
 *	but no sooner than `interval_ns` after the interrupt before.
 *
 * The two parts are those of real cards, which have one or the other. A delay
 * holds back a lone frame, too: a Broadcom tg3 has a timer that the first frame
 * starts, and a counter. A throttle does not: an Intel e1000e interrupts at once,
 * and then not again for some time; and a NAPI with napi_defer_hard_irqs polls
 * again after gro_flush_timeout, until it finds nothing.
 *
 * With usecs 0 and no interval each frame goes up at the instant of its arrival.
 */
#ifndef WIRELINE_MODERATION_H
#define WIRELINE_MODERATION_H

#include <linux/minmax.h>
#include <linux/skbuff.h>
#include <linux/time64.h>

#include "frame.h"

#define WIRELINE_INTERVAL_MAX_NS	(10ULL * NSEC_PER_SEC)

struct wireline_moderation {
	u32 usecs;
	u32 frames;
	u64 interval_ns;
};

/* What waits for an interrupt of one receiver. The lane's lock guards it. */
struct wireline_arrivals {
	struct wireline_moderation moderation;
	struct sk_buff_head waiting;
	u32 frames;		/* in them: a super-frame is many */
	u64 interrupt_ns;	/* when the last interrupt was */
	bool raised;		/* it goes on: what waits is being taken */
};

/* @skb has arrived, at the time that its frame says. */
static inline void wireline_arrivals_add(struct wireline_arrivals *arrivals,
					 struct sk_buff *skb)
{
	arrivals->frames += wireline_frame(skb)->frames;
	__skb_queue_tail(&arrivals->waiting, skb);
}

/* When the next interrupt is; in the past if it is due. */
static inline u64
wireline_arrivals_due_ns(const struct wireline_arrivals *arrivals)
{
	const struct wireline_moderation *moderation = &arrivals->moderation;
	const struct sk_buff *first = skb_peek(&arrivals->waiting);
	u64 due_ns;

	if (!first)
		return WIRELINE_NEVER_NS;
	due_ns = wireline_frame(first)->event_ns;
	if (!moderation->frames || arrivals->frames < moderation->frames)
		due_ns += (u64)moderation->usecs * NSEC_PER_USEC;
	if (!moderation->interval_ns)
		return due_ns;
	return max(due_ns, arrivals->interrupt_ns + moderation->interval_ns);
}

/*
 * Move to @taken what an interrupt at @now_ns, or one that goes on, takes up: at
 * most @budget skbs. Returns whether it goes on after that.
 */
static inline bool wireline_arrivals_take(struct wireline_arrivals *arrivals,
					  u64 now_ns, int budget,
					  struct sk_buff_head *taken)
{
	struct sk_buff *skb;

	if (!arrivals->raised) {
		if (wireline_arrivals_due_ns(arrivals) > now_ns)
			return false;
		arrivals->raised = true;
		arrivals->interrupt_ns = now_ns;
	}

	while ((skb = skb_peek(&arrivals->waiting))) {
		if (!budget--)
			return true;
		__skb_unlink(skb, &arrivals->waiting);
		arrivals->frames -= wireline_frame(skb)->frames;
		__skb_queue_tail(taken, skb);
	}
	arrivals->raised = false;
	return false;
}

#endif /* WIRELINE_MODERATION_H */
