/* SPDX-License-Identifier: GPL-2.0 */
/* The two ends of a block ack agreement; see window.c. */
#ifndef AIRLINK_WINDOW_H
#define AIRLINK_WINDOW_H

#include <linux/skbuff.h>
#include <linux/types.h>

#include "radio/profile.h"

/* The originator's end. Frames in [start, next) have their numbers; start is not
 * closed yet.
 */
struct al_window {
	u32 start;
	u32 next;
	DECLARE_BITMAP(closed, AL_SUBFRAMES_MAX);	/* by number modulo */
};

/* Whether a window of @frames lets another frame have a number. */
static inline bool al_window_open(const struct al_window *window, u32 frames)
{
	return window->next - window->start < frames;
}

u32 al_window_number(struct al_window *window);
void al_window_close(struct al_window *window, u32 seq);

/* The recipient's end. What came early waits for what is missing before it. */
struct al_reorder {
	u32 next;			/* all frames before it have gone up */
	struct sk_buff_head early;	/* sorted by number */
};

void al_reorder_init(struct al_reorder *reorder);
void al_reorder_put(struct al_reorder *reorder, u32 seq, struct sk_buff *skbs,
		    struct sk_buff_head *up);
void al_reorder_skip(struct al_reorder *reorder, u32 start,
		     struct sk_buff_head *up);

#endif /* AIRLINK_WINDOW_H */
