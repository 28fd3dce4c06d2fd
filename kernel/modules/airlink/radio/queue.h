/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What one radio has to send to one other, in one traffic class; and the frames
 * of it that have been numbered. All of it is guarded by the medium's lock.
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

/* Eight traffic classes, and what has none (management, multicast). */
#define AL_TIDS		9
#define AL_TID_NONE	8

/* What rate control asks for: so many tries at a rate, then the next of these. */
#define AL_RATE_STAGES	4

struct al_rate_stage {
	struct al_rate rate;
	u8 tries;
	bool rts;
};

/* How the last PPDU that a frame was in came out; for rate control. */
struct al_sent {
	struct al_rate_stage stages[AL_RATE_STAGES];
	u8 stages_used;
	u8 last_tries;		/* of the last one used */
	bool acked;
	bool aggregated;	/* it was in an A-MPDU: */
	u16 subframes;		/* of it, and the ... */
	u16 subframes_acked;	/* ... both in its first report only, else 0 */
	u32 airtime_ns;		/* likewise: of the queue, since the last one */
	bool ends_loss;		/* the last one of a PPDU that was dropped */
};

/* A frame on its way: an MPDU, or what becomes a part of one (A-MSDU). It has a
 * sequence number of its own, which never wraps.
 */
struct al_mpdu {
	struct list_head node;	/* in host->waiting, host->bus, queue->fresh, a
				 * PPDU, queue->retries, host->done
				 */
	struct sk_buff *skbs;	/* its MSDUs, by skb->next */
	struct al_queue *queue;	/* NULL once it is done */
	u64 at_ns;		/* on the bus: until then; done: since then */
	u32 bytes;		/* with header and FCS */
	u32 seq;
	u16 tries;		/* PPDUs that it was in, in vain */
	u8 msdus;
	bool ends_transfer;	/* it is the last of one, on the bus */
	bool received;		/* whether or not the sender knows */
	struct al_sent sent;
};

struct al_queue {
	struct al_link *link;
	struct al_edcaf *edcaf;
	u8 tid;
	bool session;		/* block ack is agreed on, ... */
	u16 window_frames;	/* ... for so many; 0: as the profile has it */
	bool reorders;		/* the receiver's radio sorts, not its host */
	void *txq;		/* the front end's, where frames wait above */

	struct list_head node;	/* in edcaf->backlog, if anything waits here */
	struct list_head fresh;		/* al_mpdu in the device, not numbered */
	struct list_head retries;	/* al_mpdu, by number */
	struct al_window window;
	struct al_reorder reorder;	/* the receiver's end */
	u64 airtime_ns;			/* that no report has had yet */
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
