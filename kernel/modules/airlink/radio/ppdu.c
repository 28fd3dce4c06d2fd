// SPDX-License-Identifier: GPL-2.0
/*
 * What is sent at one go: how long it takes at the rate that it is tried at, and
 * what becomes of its frames when it is over. aggregate.c forms it.
 *
 * A lone MPDU goes without delimiter with HT and with one with VHT and HE, and is
 * acknowledged with an ACK; an A-MPDU with a block ack.
 */

#include <linux/slab.h>

#include "radio/ppdu.h"
#include "radio/radio.h"

static struct kmem_cache *ppdu_cache;

int __init al_ppdu_cache_create(void)
{
	ppdu_cache = kmem_cache_create("airlink_ppdu", sizeof(struct al_ppdu),
				       0, 0, NULL);
	return ppdu_cache ? 0 : -ENOMEM;
}

void al_ppdu_cache_destroy(void)
{
	kmem_cache_destroy(ppdu_cache);
}

/* Makes a PPDU without frames. Returns NULL if there is no memory. */
struct al_ppdu *al_ppdu_create(struct al_queue *queue)
{
	struct al_ppdu *ppdu = kmem_cache_zalloc(ppdu_cache, GFP_ATOMIC);

	if (!ppdu)
		return NULL;
	INIT_LIST_HEAD(&ppdu->mpdus);
	ppdu->queue = queue;
	return ppdu;
}

/* A lone MPDU has a delimiter with VHT and HE only. */
static void ppdu_settle_lone(struct al_ppdu *ppdu)
{
	const struct al_mpdu *mpdu = list_first_entry(&ppdu->mpdus,
						      struct al_mpdu, node);
	u8 phy = al_ppdu_stage(ppdu)->rate.phy;

	ppdu->psdu_bytes = mpdu->bytes;
	if (phy == AL_PHY_VHT || phy == AL_PHY_HE)
		ppdu->psdu_bytes += AL_DELIMITER_BYTES;
}

/* Works out what depends on the rate in use. */
void al_ppdu_settle_times(struct al_ppdu *ppdu)
{
	const struct al_radio *radio = ppdu->queue->link->from;
	const struct al_band *band = radio->medium->band;
	const struct al_rate_stage *stage = al_ppdu_stage(ppdu);
	bool wide = al_queue_wide_block_ack(ppdu->queue);
	u32 bytes = AL_ACK_BYTES;

	if (ppdu->frames == 1)
		ppdu_settle_lone(ppdu);
	if (ppdu->response == AL_RESPONSE_BA)
		bytes = wide ? AL_BA_WIDE_BYTES : AL_BA_BYTES;
	ppdu->ns = al_ppdu_ns(&stage->rate, band, ppdu->psdu_bytes);
	ppdu->response_ns = ppdu->response == AL_RESPONSE_NONE ? 0 :
			    al_control_ns(&stage->rate, band, bytes);
	ppdu->protected = ppdu->response != AL_RESPONSE_NONE &&
			  (stage->rts ||
			   ppdu->psdu_bytes > radio->profile.rts_bytes);
}

/* Nobody has answered. Returns whether the PPDU is to be sent once more as it is,
 * and if so makes it ready for that try.
 */
bool al_ppdu_try_again(struct al_ppdu *ppdu)
{
	if (++ppdu->stage_tries < al_ppdu_stage(ppdu)->tries)
		return true;
	if (ppdu->stage_index + 1 == ppdu->stage_count)
		return false;
	ppdu->stage_index++;
	ppdu->stage_tries = 0;
	al_ppdu_settle_times(ppdu);
	return true;
}

/* Notes in @mpdu how its PPDU was sent. */
static void ppdu_note_sent(const struct al_ppdu *ppdu, struct al_mpdu *mpdu,
			   bool answered)
{
	struct al_sent *sent = &mpdu->sent;

	memcpy(sent->stages, ppdu->stages, sizeof(sent->stages));
	sent->stages_used = ppdu->stage_index + 1;
	/* stage_tries counts those that have failed. */
	sent->last_tries = ppdu->stage_tries + answered;
	sent->aggregated = ppdu->aggregated && ppdu->frames > 1;
	sent->subframes = 0;
	sent->subframes_acked = 0;
	sent->airtime_ns = 0;
	sent->ends_loss = false;
}

/* Notes in @mpdu what is about the whole PPDU. It is the first of its frames that
 * is done.
 */
static void ppdu_note_all(const struct al_ppdu *ppdu, struct al_mpdu *mpdu,
			  u16 acked)
{
	struct al_sent *sent = &mpdu->sent;

	sent->subframes = ppdu->frames;
	sent->subframes_acked = acked;
	sent->airtime_ns = min_t(u64, ppdu->queue->airtime_ns, U32_MAX);
	ppdu->queue->airtime_ns = 0;
}

static u32 ppdu_msdu_bytes(const struct al_mpdu *mpdu)
{
	const struct sk_buff *skb;
	u32 bytes = 0;

	for (skb = mpdu->skbs; skb; skb = skb->next)
		bytes += skb->len;
	return bytes;
}

/* Returns whether the frame is done, and does not have to be sent again. */
static bool ppdu_close_frame(struct al_ppdu *ppdu, struct al_mpdu *mpdu,
			     bool answered)
{
	struct al_queue *queue = ppdu->queue;
	struct al_radio *radio = queue->link->from;
	struct al_stats *stats = &radio->stats;
	bool acked = answered && mpdu->received;

	ppdu_note_sent(ppdu, mpdu, answered);
	mpdu->sent.acked = acked && ppdu->response != AL_RESPONSE_NONE;
	if (mpdu->sent.acked) {
		stats->frames_acked++;
		stats->bytes_acked += ppdu_msdu_bytes(mpdu);
	} else if (ppdu->response != AL_RESPONSE_NONE) {
		if (queue->session &&
		    ++mpdu->tries < radio->profile.frame_tries) {
			stats->frames_retried++;
			return false;
		}
		stats->frames_dropped++;
	}
	al_window_close(&queue->window, mpdu->seq);
	return true;
}

/* The recipient must not wait for frames that were dropped; see window.c. */
static void ppdu_skip_dropped(struct al_queue *queue)
{
	struct al_radio *to = queue->link->to;
	struct sk_buff_head up;
	struct sk_buff *skb;

	if (!queue->reorders || !to)
		return;
	__skb_queue_head_init(&up);
	al_reorder_skip(&queue->reorder, queue->window.start, &up);
	if (skb_queue_empty(&up))
		return;
	while ((skb = __skb_dequeue(&up)))
		al_host_received(to, skb);
	al_host_arm(to);
}

/*
 * Ends and frees a PPDU that was @answered, or is given up. Its frames are reported
 * to the host, or go back to their queue to be sent again.
 */
void al_ppdu_close(struct al_ppdu *ppdu, bool answered, u64 now_ns)
{
	struct al_queue *queue = ppdu->queue;
	struct al_edcaf *edcaf = queue->edcaf;
	struct al_radio *radio = edcaf->radio;
	bool retries = false, told = false;
	struct al_mpdu *mpdu, *next, *lost = NULL;
	u16 acked = 0;

	list_del(&ppdu->node);
	if (ppdu->aggregated)
		edcaf->aggregates--;
	else
		edcaf->singles--;

	list_for_each_entry(mpdu, &ppdu->mpdus, node)
		acked += answered && mpdu->received;
	list_for_each_entry_safe(mpdu, next, &ppdu->mpdus, node) {
		list_del_init(&mpdu->node);
		if (!ppdu_close_frame(ppdu, mpdu, answered)) {
			al_queue_retry(queue, mpdu);
			retries = true;
			continue;
		}
		if (!told)
			ppdu_note_all(ppdu, mpdu, acked);
		told = true;
		if (!mpdu->sent.acked)
			lost = mpdu;
		radio->host.device_frames -= mpdu->msdus;
		al_host_done(radio, mpdu, now_ns);
	}
	if (told)
		al_host_arm(radio);
	if (lost)
		lost->sent.ends_loss = ppdu->aggregated;
	kmem_cache_free(ppdu_cache, ppdu);
	ppdu_skip_dropped(queue);
	if (retries && radio->ops->requeue)
		radio->ops->requeue(queue);
}
