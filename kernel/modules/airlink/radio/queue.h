/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The frames that one radio has for one receiver in one traffic class; see
 * queue.c. The medium's lock guards all of it.
 */
#ifndef AIRLINK_QUEUE_H
#define AIRLINK_QUEUE_H

#include <linux/list.h>
#include <linux/skbuff.h>

#include "air/phy.h"
#include "radio/profile.h"
#include "radio/window.h"

struct al_edcaf;
struct al_link;

/* Eight traffic classes, and one for frames that have none: management frames
 * and multicast.
 */
#define AL_TIDS		9
#define AL_TID_NONE	8

/* Multi-rate retry, as mac80211 has it: a PPDU is tried a number of times at the
 * rate of the first stage, then at that of the second, and so on.
 */
#define AL_RATE_STAGES	4

struct al_rate_stage {
	struct al_rate rate;
	u8 tries;
	bool rts;		/* the PPDU is protected by RTS and CTS */
};

/* How the last PPDU that a frame was in came out; for rate control. The three
 * fields that are about a whole PPDU are set in the first of its frames to be
 * reported, and 0 in all others.
 */
struct al_sent {
	struct al_rate_stage stages[AL_RATE_STAGES];
	u8 stages_used;		/* how many of the stages were tried */
	u8 last_tries;		/* how often the last of these was */
	bool acked;
	bool aggregated;	/* it was in an A-MPDU */
	u16 subframes;		/* first frame only: in the A-MPDU */
	u16 subframes_acked;	/* first frame only: how many got through */
	u32 airtime_ns;		/* first frame only: see al_queue.airtime_ns */
	bool ends_loss;		/* the last frame of its A-MPDU to be dropped */
};

/* A frame on its way: an MPDU, or an MSDU that becomes a part of one (A-MSDU).
 * Sequence numbers have 32 bits and do not wrap.
 */
struct al_mpdu {
	struct list_head node;	/* in host->waiting, host->bus, queue->fresh, a
				 * PPDU, queue->retries, host->done
				 */
	struct sk_buff *skbs;	/* its MSDUs, linked by skb->next */
	struct al_queue *queue;	/* NULL once the frame is done */
	u64 at_ns;		/* in host->bus: the end of its transfer;
				 * in host->done: when the device reports it
				 */
	u32 bytes;		/* with header and FCS */
	u32 seq;
	u16 tries;		/* how many PPDUs it was lost in */
	u8 msdus;
	bool ends_transfer;	/* it is the last frame of a bus transfer */
	bool received;		/* its receiver has it, known to us or not */
	struct al_sent sent;
};

struct al_queue {
	struct al_link *link;
	struct al_edcaf *edcaf;
	u8 tid;
	bool session;		/* there is a block ack agreement */
	u16 window_frames;	/* the agreement's; 0: the profile's */
	bool reorders;		/* the receiver's radio sorts, not its host */
	void *txq;		/* where its frames wait in mac80211, or NULL */

	struct list_head node;	/* in edcaf->backlog, if frames wait here */
	struct list_head fresh;		/* al_mpdu in the device, no number yet */
	struct list_head retries;	/* al_mpdu to be sent again, by number */
	struct al_window window;
	struct al_reorder reorder;	/* the receiver's end of the window */
	u64 airtime_ns;			/* since the last report that told of it */
};

struct al_queue *al_queue_create(struct al_link *link, u8 tid);
void al_queue_destroy(struct al_queue *queue);
void al_queue_flush(struct al_queue *queue);

struct al_mpdu *al_queue_peek(struct al_queue *queue);
void al_queue_take(struct al_queue *queue, struct al_mpdu *mpdu);
void al_queue_put(struct al_queue *queue, struct al_mpdu *mpdu);
void al_queue_retry(struct al_queue *queue, struct al_mpdu *mpdu);
u32 al_queue_window_frames(const struct al_queue *queue);
bool al_queue_wide_block_ack(const struct al_queue *queue);
bool al_mpdu_sends_alone(struct al_queue *queue, struct al_mpdu *mpdu);
bool al_queue_waits(const struct al_queue *queue);

struct al_mpdu *al_mpdu_create(struct al_queue *queue, struct sk_buff *skb);
void al_mpdu_free(struct al_mpdu *mpdu);

int al_mpdu_cache_create(void);
void al_mpdu_cache_destroy(void);

#endif /* AIRLINK_QUEUE_H */
