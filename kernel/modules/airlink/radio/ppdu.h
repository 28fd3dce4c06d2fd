/* SPDX-License-Identifier: GPL-2.0 */
/* A PPDU: what is sent at one go, a frame or an A-MPDU; see ppdu.c. */
#ifndef AIRLINK_PPDU_H
#define AIRLINK_PPDU_H

#include <linux/list.h>
#include <linux/types.h>

#include "air/phy.h"
#include "radio/queue.h"

#define AL_DELIMITER_BYTES	4U	/* before each MPDU of an A-MPDU */

enum al_response { AL_RESPONSE_NONE, AL_RESPONSE_ACK, AL_RESPONSE_BA };

struct al_ppdu {
	struct list_head node;	/* in edcaf->ready */
	struct list_head mpdus;	/* al_mpdu, by number */
	struct al_queue *queue;
	struct al_rate_stage stages[AL_RATE_STAGES];
	u8 stage_count;		/* how many of the stages are set */
	u8 stage_index;		/* which of them is in use */
	u8 stage_tries;		/* how often that one was tried in vain */
	u32 psdu_bytes;
	u32 ns;			/* its time on the air */
	u32 response_ns;	/* the time on the air of its answer */
	u32 reference;		/* the number of the A-MPDU, for captures */
	u16 frames;		/* how many are in mpdus */
	u8 response;		/* enum al_response */
	bool aggregated;	/* an A-MPDU, if only of one subframe */
	bool protected;		/* RTS and CTS go before it */
};

/* The stage in use. */
static inline const struct al_rate_stage *
al_ppdu_stage(const struct al_ppdu *ppdu)
{
	return &ppdu->stages[ppdu->stage_index];
}

struct al_ppdu *al_ppdu_create(struct al_queue *queue);
void al_ppdu_settle_times(struct al_ppdu *ppdu);
bool al_ppdu_try_again(struct al_ppdu *ppdu);
void al_ppdu_close(struct al_ppdu *ppdu, bool answered, u64 now_ns);

int al_ppdu_cache_create(void);
void al_ppdu_cache_destroy(void);

#endif /* AIRLINK_PPDU_H */
