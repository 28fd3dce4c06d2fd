// SPDX-License-Identifier: GPL-2.0
/*
 * The frames that wait for one receiver in one traffic class, in the order in which
 * they are to be sent: first those that were sent in vain, by number; then those
 * that are in the device; then, if frames wait above the device, those of the front
 * end. A frame gets its number when it is taken, as long as the window has room.
 */

#include <linux/slab.h>

#include "radio/queue.h"
#include "radio/radio.h"

static struct kmem_cache *mpdu_cache;

int __init al_mpdu_cache_create(void)
{
	mpdu_cache = kmem_cache_create("airlink_mpdu", sizeof(struct al_mpdu),
				       0, 0, NULL);
	return mpdu_cache ? 0 : -ENOMEM;
}

void al_mpdu_cache_destroy(void)
{
	kmem_cache_destroy(mpdu_cache);
}

/* Makes a frame that owns @skb. Returns NULL if there is no memory. */
struct al_mpdu *al_mpdu_create(struct al_queue *queue, struct sk_buff *skb)
{
	struct al_mpdu *mpdu = kmem_cache_zalloc(mpdu_cache, GFP_ATOMIC);

	if (!mpdu)
		return NULL;
	INIT_LIST_HEAD(&mpdu->node);
	mpdu->skbs = skb;
	mpdu->msdus = 1;
	mpdu->queue = queue;
	mpdu->bytes = queue->link->from->ops->mpdu_bytes(queue, skb);
	return mpdu;
}

/* Frees the frame, but not its skbs: the front end has taken them. */
void al_mpdu_free(struct al_mpdu *mpdu)
{
	kmem_cache_free(mpdu_cache, mpdu);
}

struct al_queue *al_queue_create(struct al_link *link, u8 tid)
{
	/* As in 802.1D; see ieee802_1d_to_ac[] in mac80211. */
	static const u8 ac_of_tid[AL_TIDS] = {
		AL_AC_BE, AL_AC_BK, AL_AC_BK, AL_AC_BE,
		AL_AC_VI, AL_AC_VI, AL_AC_VO, AL_AC_VO, AL_AC_VO,
	};
	struct al_queue *queue = kzalloc(sizeof(*queue), GFP_ATOMIC);

	if (!queue)
		return NULL;
	queue->link = link;
	queue->tid = tid;
	queue->edcaf = &link->from->edcaf[ac_of_tid[tid]];
	INIT_LIST_HEAD(&queue->node);
	INIT_LIST_HEAD(&queue->fresh);
	INIT_LIST_HEAD(&queue->retries);
	al_reorder_init(&queue->reorder);
	return queue;
}

static void queue_give_up(struct al_queue *queue, struct al_mpdu *mpdu)
{
	struct al_radio *radio = queue->link->from;

	mpdu->sent.acked = false;
	radio->stats.frames_dropped++;
	al_host_done(radio, mpdu, ktime_get_ns());
	al_host_arm(radio);
}

static void queue_give_up_in_device(struct al_queue *queue,
				    struct list_head *frames)
{
	struct al_mpdu *mpdu, *next;

	list_for_each_entry_safe(mpdu, next, frames, node) {
		queue->link->from->host.device_frames -= mpdu->msdus;
		if (frames == &queue->retries)
			al_window_close(&queue->window, mpdu->seq);
		queue_give_up(queue, mpdu);
	}
}

/* @mpdu, the last of its transfer, is taken from @frames. The transfer then ends with
 * the frame before it, and is over if there is none. host_bus_due_ns() sees to it that
 * another one starts.
 */
static void queue_end_transfer(struct al_host *host, struct list_head *frames,
			       struct al_mpdu *mpdu)
{
	struct al_mpdu *before = list_prev_entry(mpdu, node);

	mpdu->ends_transfer = false;
	if (&before->node != frames && !before->ends_transfer)
		before->ends_transfer = true;
	else
		host->transfers--;
}

static void queue_give_up_on_bus(struct al_queue *queue,
				 struct list_head *frames)
{
	struct al_host *host = &queue->link->from->host;
	struct al_mpdu *mpdu, *next;

	list_for_each_entry_safe(mpdu, next, frames, node) {
		if (mpdu->queue != queue)
			continue;
		if (mpdu->ends_transfer)
			queue_end_transfer(host, frames, mpdu);
		queue_give_up(queue, mpdu);
	}
}

/* Reports all frames as lost that are not in a PPDU. */
void al_queue_flush(struct al_queue *queue)
{
	struct al_host *host = &queue->link->from->host;

	queue_give_up_in_device(queue, &queue->fresh);
	queue_give_up_in_device(queue, &queue->retries);
	queue_give_up_on_bus(queue, &host->waiting);
	queue_give_up_on_bus(queue, &host->bus);
	list_del_init(&queue->node);
}

/* The queue must be empty, and no PPDU must have frames of it. */
void al_queue_destroy(struct al_queue *queue)
{
	__skb_queue_purge(&queue->reorder.early);
	kfree(queue);
}

/* Returns the size of the block ack window. */
u32 al_queue_window_frames(const struct al_queue *queue)
{
	u32 frames = queue->link->from->profile.window_frames;

	return queue->window_frames ? min_t(u32, frames, queue->window_frames) :
				      frames;
}

/* Returns whether its block acks have the wide bitmap. */
bool al_queue_wide_block_ack(const struct al_queue *queue)
{
	return al_queue_window_frames(queue) > AL_BA_FRAMES;
}

/* Returns whether frames wait here, in the device. */
bool al_queue_waits(const struct al_queue *queue)
{
	return !list_empty(&queue->fresh) || !list_empty(&queue->retries);
}

/* Gets a frame from above the device, if there is one. Those that there is no memory for
 * are dropped: nobody would come back for what waits behind them.
 */
static void queue_pull(struct al_queue *queue)
{
	struct al_radio *radio = queue->link->from;
	struct al_mpdu *mpdu;
	struct sk_buff *skb;

	if (!radio->ops->pull)
		return;
	while ((skb = radio->ops->pull(queue))) {
		mpdu = al_mpdu_create(queue, skb);
		if (likely(mpdu)) {
			radio->host.frames++;
			radio->host.device_frames++;
			list_add_tail(&mpdu->node, &queue->fresh);
			return;
		}
		al_host_drop(radio, skb);
	}
}

/* Returns whether @mpdu has to be sent without others. */
bool al_mpdu_sends_alone(struct al_queue *queue, struct al_mpdu *mpdu)
{
	const struct al_front_ops *ops = queue->link->from->ops;

	return ops->sends_alone && ops->sends_alone(queue, mpdu->skbs);
}

/* Lengths of an A-MSDU (9.3.2.2.2). Each of its MSDUs has a subframe header of 14
 * bytes, and all but the last are padded to a multiple of four. An MPDU has 26 bytes
 * of header and 4 of FCS, and no subframe header if it has one MSDU only.
 */
#define AMSDU_INSTEAD_BYTES	(26 + 4 - 14)
#define AMSDU_MPDU_BYTES	(26 + 4)

/* Puts as many of the frames behind @mpdu into it as the profile allows. */
static void queue_gather_amsdu(struct al_queue *queue, struct al_mpdu *mpdu)
{
	const struct al_profile *profile = &queue->link->from->profile;
	/* It may be an A-MSDU already, if it was looked at before. */
	u32 inner = mpdu->bytes - (mpdu->msdus > 1 ? AMSDU_MPDU_BYTES :
						     AMSDU_INSTEAD_BYTES);
	struct sk_buff *last = mpdu->skbs;
	struct al_mpdu *further;
	u32 bytes;

	while (last->next)
		last = last->next;
	while (mpdu->msdus < profile->amsdu_frames) {
		if (list_is_last(&mpdu->node, &queue->fresh))
			queue_pull(queue);
		if (list_is_last(&mpdu->node, &queue->fresh))
			return;
		further = list_next_entry(mpdu, node);
		if (al_mpdu_sends_alone(queue, further))
			return;
		bytes = round_up(inner, 4) + further->bytes -
			AMSDU_INSTEAD_BYTES;
		if (AMSDU_MPDU_BYTES + bytes > profile->amsdu_bytes)
			return;
		inner = bytes;
		last->next = further->skbs;
		last = further->skbs;
		mpdu->bytes = AMSDU_MPDU_BYTES + inner;
		mpdu->msdus++;
		list_del(&further->node);
		al_mpdu_free(further);
	}
}

/* Returns the next frame that may be sent, or NULL. It stays where it is. */
struct al_mpdu *al_queue_peek(struct al_queue *queue)
{
	struct al_mpdu *mpdu;

	if (!list_empty(&queue->retries))
		return list_first_entry(&queue->retries, struct al_mpdu, node);
	if (!al_window_open(&queue->window, al_queue_window_frames(queue)))
		return NULL;
	if (list_empty(&queue->fresh))
		queue_pull(queue);
	mpdu = list_first_entry_or_null(&queue->fresh, struct al_mpdu, node);
	if (mpdu && queue->session && !al_mpdu_sends_alone(queue, mpdu))
		queue_gather_amsdu(queue, mpdu);
	return mpdu;
}

/* Takes @mpdu, which al_queue_peek() has returned, out of the queue. */
void al_queue_take(struct al_queue *queue, struct al_mpdu *mpdu)
{
	if (list_empty(&queue->retries))
		mpdu->seq = al_window_number(&queue->window);
	list_del_init(&mpdu->node);
}

/* Puts a frame here that has come into the device. */
void al_queue_put(struct al_queue *queue, struct al_mpdu *mpdu)
{
	list_add_tail(&mpdu->node, &queue->fresh);
	if (list_empty(&queue->node))
		list_add_tail(&queue->node, &queue->edcaf->backlog);
}

/* Puts a frame back that was sent in vain, in the order of the numbers. */
void al_queue_retry(struct al_queue *queue, struct al_mpdu *mpdu)
{
	struct al_mpdu *earlier;

	list_for_each_entry_reverse(earlier, &queue->retries, node)
		if ((s32)(earlier->seq - mpdu->seq) < 0)
			break;
	list_add(&mpdu->node, &earlier->node);
	if (list_empty(&queue->node))
		list_add(&queue->node, &queue->edcaf->backlog);
}
