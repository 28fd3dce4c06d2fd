// SPDX-License-Identifier: GPL-2.0
/*
 * Block ack: which frames may be under way at a time, and in which order they go
 * up (10.25.6). Sequence numbers here are 32 bits and do not
 * wrap within a run; a capture shows the lower 12.
 *
 * The originator may number a frame if fewer than the window's size lie between the
 * oldest frame that is open and it. A frame is closed when it is acknowledged, or
 * given up. So a frame that gets lost again and again shortens the aggregates behind
 * it, down to nothing.
 *
 * The recipient passes up what is in order. It would learn from a BlockAckReq, or
 * from the next frame that shifts its window, that a frame was given up; here it
 * learns so at once, and the BlockAckReq takes no airtime. Front ends whose host
 * reorders (mac80211) do not use this half, and their BlockAckReqs are real.
 */

#include "radio/received.h"
#include "radio/window.h"

/* Gives the next frame its number. */
u32 al_window_number(struct al_window *window)
{
	u32 seq = window->next++;

	__clear_bit(seq % AL_SUBFRAMES_MAX, window->closed);
	return seq;
}

/* The frame of this number is acknowledged, or given up. */
void al_window_close(struct al_window *window, u32 seq)
{
	__set_bit(seq % AL_SUBFRAMES_MAX, window->closed);
	while (window->start != window->next &&
	       test_bit(window->start % AL_SUBFRAMES_MAX, window->closed))
		window->start++;
}

void al_reorder_init(struct al_reorder *reorder)
{
	reorder->next = 0;
	__skb_queue_head_init(&reorder->early);
}

/* Returns whether @a is before @b. */
static bool window_before(u32 a, u32 b)
{
	return (s32)(a - b) < 0;
}

/* Frames that are in order by now go up. The parts of an A-MSDU share a number. */
static void window_release(struct al_reorder *reorder, struct sk_buff_head *up)
{
	struct sk_buff *skb, *following;
	u32 seq;

	while ((skb = skb_peek(&reorder->early))) {
		seq = al_received(skb)->seq;
		if (window_before(reorder->next, seq))
			return;
		__skb_unlink(skb, &reorder->early);
		__skb_queue_tail(up, skb);
		following = skb_peek(&reorder->early);
		if (!following || al_received(following)->seq != seq)
			reorder->next = seq + 1;
	}
}

/* Puts an early frame in its place, which most often is the last. */
static void window_keep(struct al_reorder *reorder, struct sk_buff *skb)
{
	struct sk_buff *earlier;

	skb_queue_reverse_walk(&reorder->early, earlier)
		if (!window_before(al_received(skb)->seq,
				   al_received(earlier)->seq))
			break;
	__skb_queue_after(&reorder->early, earlier, skb);
}

/* Takes a frame that did not come before: @skbs, linked by skb->next. What is in
 * order then is added to @up.
 */
void al_reorder_put(struct al_reorder *reorder, u32 seq, struct sk_buff *skbs,
		    struct sk_buff_head *up)
{
	struct sk_buff *skb, *next;

	skb_list_walk_safe(skbs, skb, next) {
		skb_mark_not_on_list(skb);
		al_received(skb)->seq = seq;
		if (window_before(seq, reorder->next))
			kfree_skb(skb);
		else
			window_keep(reorder, skb);
	}
	window_release(reorder, up);
}

/* The originator has given up the frames before @start that are missing. What is in
 * order then is added to @up.
 */
void al_reorder_skip(struct al_reorder *reorder, u32 start,
		     struct sk_buff_head *up)
{
	struct sk_buff *skb;

	while ((skb = skb_peek(&reorder->early)) &&
	       window_before(al_received(skb)->seq, start)) {
		__skb_unlink(skb, &reorder->early);
		__skb_queue_tail(up, skb);
	}
	if (window_before(reorder->next, start))
		reorder->next = start;
	window_release(reorder, up);
}
