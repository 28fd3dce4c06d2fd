/* SPDX-License-Identifier: GPL-2.0 */
/* A frame exchange sequence, from the first frame to the last; see exchange.c. */
#ifndef AIRLINK_EXCHANGE_H
#define AIRLINK_EXCHANGE_H

#include <linux/bitmap.h>
#include <linux/list.h>
#include <linux/types.h>

#include "air/medium.h"

struct al_edcaf;
struct al_ppdu;
struct al_radio;

enum al_step {
	AL_STEP_NONE,		/* no exchange */
	AL_STEP_RTS,
	AL_STEP_CTS,
	AL_STEP_DATA,
	AL_STEP_RESPONSE,
	AL_STEP_TIMEOUT,	/* the sender waits for an answer in vain */
};

struct al_exchange {
	struct list_head node;		/* in medium->exchanges */
	struct al_edcaf *edcaf;		/* the function that has begun it */
	struct al_ppdu *ppdu;

	/* The frame of this step. */
	enum al_step step;
	bool on_air;			/* false in the gap before the frame */
	struct al_radio *from;		/* who sends it */
	u64 at_ns;			/* the next event: its start, or its end */
	u64 frame_ns;			/* its time on the air */
	u64 remaining_ns;		/* set at its end: its Duration field */
	DECLARE_BITMAP(garbled, AL_RADIOS_MAX);	/* who hears others as well */
	DECLARE_BITMAP(deaf, AL_RADIOS_MAX);	/* who sends at the same time, or
						 * was not there when it began
						 */

	u64 txop_end_ns;		/* 0: no TXOP limit */
	u64 began_ns;			/* airtime is charged from then on */
};

void al_exchange_begin(struct al_edcaf *edcaf, u64 now_ns);
void al_exchange_advance(struct al_exchange *exchange);
void al_exchange_missed(struct al_radio *radio, const struct al_radio *from);
void al_exchange_abort(struct al_radio *radio);

#endif /* AIRLINK_EXCHANGE_H */
