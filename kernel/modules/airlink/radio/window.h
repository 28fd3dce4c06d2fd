/* SPDX-License-Identifier: GPL-2.0 */
/* Both ends of a block-ack agreement; window.c says how they move. */
#ifndef AIRLINK_WINDOW_H
#define AIRLINK_WINDOW_H

#include <linux/skbuff.h>
#include <linux/types.h>

#include "radio/profile.h"

/* The originator's: [start, next) have been numbered and start is open. */
struct al_window {
	u32 start;
	u32 next;
	DECLARE_BITMAP(closed, AL_SUBFRAMES_MAX);	/* by seq modulo */
};

static inline bool al_window_open(const struct al_window *window, u32 frames)
{
	return window->next - window->start < frames;
}

u32 al_window_number(struct al_window *window);
void al_window_close(struct al_window *window, u32 seq);

/* The recipient's: what came too early waits for what is missing before it. */
struct al_reorder {
	u32 next;			/* all before it have gone up */
	struct sk_buff_head early;	/* by number */
};

void al_reorder_init(struct al_reorder *reorder);
void al_reorder_put(struct al_reorder *reorder, u32 seq, struct sk_buff *skbs,
		    struct sk_buff_head *up);
void al_reorder_skip(struct al_reorder *reorder, u32 start,
		     struct sk_buff_head *up);

#endif /* AIRLINK_WINDOW_H */
