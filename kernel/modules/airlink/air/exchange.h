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
	AL_STEP_TIMEOUT,	/* an answer did not come */
};

struct al_exchange {
	struct list_head node;		/* in medium->exchanges */
	struct al_edcaf *edcaf;
	struct al_ppdu *ppdu;
	enum al_step step;
	bool on_air;			/* else the gap before it */
	struct al_radio *from;		/* who sends the frame of this step */
	u64 at_ns;			/* of the next event: its start or end */
	u64 frame_ns;			/* its time on the air */
	u64 remaining_ns;		/* after it: its Duration field */
	u64 txop_end_ns;		/* 0: no TXOP limit */
	u64 began_ns;
	DECLARE_BITMAP(garbled, AL_RADIOS_MAX);	/* where others drown it */
	DECLARE_BITMAP(deaf, AL_RADIOS_MAX);	/* those that send meanwhile */
};

void al_exchange_begin(struct al_edcaf *edcaf, u64 now_ns);
void al_exchange_advance(struct al_exchange *exchange);
void al_exchange_abort(struct al_radio *radio);

#endif /* AIRLINK_EXCHANGE_H */
