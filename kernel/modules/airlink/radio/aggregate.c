// SPDX-License-Identifier: GPL-2.0
/*
 * Forming PPDUs. It happens ahead of the air: a device holds up to
 * profile.aggregates_ahead A-MPDUs (the one on the air included) and
 * profile.singles_ahead other frames for each access category. It forms the next
 * one as soon as there is room and a frame, with what is there at that instant:
 * the first frame of a burst that meets an idle device goes alone.
 *
 * An A-MPDU takes frames of one queue as long as they fit the block ack window,
 * the profile's limits, and the standard's: 65535 bytes (HT), 1048575 (VHT) or
 * 6500631 (HE, as ns-3 has it), 5.484 ms on the air, and the TXOP limit. It has to
 * fit at each of the rates that rate control may fall back to, as in ath9k.
 *
 * A subframe is a delimiter of 4 bytes and the MPDU, and padding to a multiple of
 * 4 in all but the last (9.7.1). A lone MPDU goes without delimiter with HT and
 * with one with VHT and HE, and is acknowledged with an ACK.
 */

#include <linux/time64.h>

#include "radio/aggregate.h"
#include "radio/ppdu.h"
#include "radio/radio.h"

#define PPDU_MAX_NS		5484000

static u32 aggregate_phy_bytes_max(u8 phy)
{
	static const u32 bytes[AL_PHY_COUNT] = {
		[AL_PHY_HT] = 65535, [AL_PHY_VHT] = 1048575,
		[AL_PHY_HE] = 6500631,
	};

	return bytes[phy];
}

static bool aggregate_allowed(const struct al_queue *queue)
{
	return queue->session &&
	       queue->link->from->profile.aggregate_frames > 1;
}

/* Returns whether there is room for another PPDU of @queue. */
bool al_aggregate_has_room(const struct al_edcaf *edcaf,
			   const struct al_queue *queue)
{
	const struct al_profile *profile = &edcaf->radio->profile;

	if (aggregate_allowed(queue))
		return edcaf->aggregates < profile->aggregates_ahead;
	return edcaf->singles < profile->singles_ahead;
}

static void aggregate_choose_rates(struct al_ppdu *ppdu, struct sk_buff *skb)
{
	const struct al_link *link = ppdu->queue->link;
	struct al_radio *radio = link->from;
	int count = 0;

	if (link->rate_fixed && link->kind != AL_LINK_MULTICAST &&
	    ppdu->queue->tid != AL_TID_NONE) {
		ppdu->stages[0].rate = link->rate;
		ppdu->stages[0].tries = radio->profile.ppdu_tries;
		count = 1;
	} else if (radio->ops->choose_rates) {
		count = radio->ops->choose_rates(ppdu->queue, skb,
						 ppdu->stages);
	}
	if (count < 1) {
		ppdu->stages[0] = (struct al_rate_stage) {
			.rate = al_rate_lowest,
			.tries = radio->profile.ppdu_tries,
		};
		count = 1;
	}
	ppdu->stage_count = count;
}

/* Returns how long an A-MPDU may be at all of its rates; 0: there can be none, as
 * at a legacy rate.
 */
static u32 aggregate_bytes_max(const struct al_ppdu *ppdu)
{
	const struct al_edcaf *edcaf = ppdu->queue->edcaf;
	const struct al_profile *profile = &edcaf->radio->profile;
	u32 limit_ns = min_t(u64, (u64)profile->aggregate_us * NSEC_PER_USEC,
			     PPDU_MAX_NS);
	u32 bytes = profile->aggregate_bytes;
	int stage;

	if (edcaf->params.txop_us)
		limit_ns = min_t(u32, limit_ns,
				 edcaf->params.txop_us * NSEC_PER_USEC);
	for (stage = 0; stage < ppdu->stage_count; stage++) {
		const struct al_rate *rate = &ppdu->stages[stage].rate;

		bytes = min3(bytes, aggregate_phy_bytes_max(rate->phy),
			     al_psdu_bytes_within(rate,
						  edcaf->radio->medium->band,
						  limit_ns));
	}
	return bytes;
}

/* Returns the bytes of a subframe, without the padding behind it. */
static u32 aggregate_subframe_bytes(const struct al_ppdu *ppdu, u32 mpdu_bytes)
{
	const struct al_profile *profile =
		&ppdu->queue->link->from->profile;
	u32 bytes = max(AL_DELIMITER_BYTES + mpdu_bytes,
			profile->subframe_bytes_min);
	u64 dense;

	if (profile->density_ns) {
		dense = (u64)profile->density_ns *
			al_rate_kbps(&ppdu->stages[0].rate);
		bytes = max_t(u64, bytes, div_u64(dense, 8000000));
	}
	return bytes;
}

static u32 aggregate_psdu_bytes_with(const struct al_ppdu *ppdu, u32 mpdu_bytes)
{
	return round_up(ppdu->psdu_bytes, 4) +
	       aggregate_subframe_bytes(ppdu, mpdu_bytes);
}

static void aggregate_add(struct al_ppdu *ppdu, struct al_mpdu *mpdu)
{
	al_queue_take(ppdu->queue, mpdu);
	list_add_tail(&mpdu->node, &ppdu->mpdus);
	ppdu->frames++;
}

static void aggregate_gather(struct al_ppdu *ppdu)
{
	u32 frames = ppdu->queue->link->from->profile.aggregate_frames;
	u32 bytes_max = aggregate_bytes_max(ppdu), bytes;
	struct al_mpdu *mpdu;
	bool alone = false;

	while (ppdu->frames < frames && !alone) {
		mpdu = al_queue_peek(ppdu->queue);
		if (!mpdu)
			break;
		alone = al_mpdu_sends_alone(ppdu->queue, mpdu);
		if (ppdu->frames && alone)
			break;
		bytes = aggregate_psdu_bytes_with(ppdu, mpdu->bytes);
		if (ppdu->frames && bytes > bytes_max)
			break;
		ppdu->psdu_bytes = bytes;
		aggregate_add(ppdu, mpdu);
		if (!bytes_max)		/* a legacy rate has no A-MPDUs */
			break;
	}
}

/* The PPDU is ready to be sent. */
static void aggregate_enter(struct al_edcaf *edcaf, struct al_ppdu *ppdu)
{
	bool first = list_empty(&edcaf->ready);

	list_add_tail(&ppdu->node, &edcaf->ready);
	if (ppdu->aggregated)
		edcaf->aggregates++;
	else
		edcaf->singles++;
	if (first && list_empty(&edcaf->node))
		al_edcaf_ask(edcaf, ktime_get_ns());
}

/* Forms one PPDU of what @queue has. Returns whether it had anything. */
bool al_aggregate_form(struct al_edcaf *edcaf, struct al_queue *queue)
{
	struct al_mpdu *first = al_queue_peek(queue);
	struct al_ppdu *ppdu;

	if (!first)
		return false;
	ppdu = al_ppdu_create(queue);
	if (unlikely(!ppdu)) {
		al_host_form_later(edcaf->radio);
		return false;
	}
	aggregate_choose_rates(ppdu, first->skbs);

	ppdu->aggregated = aggregate_allowed(queue);
	if (ppdu->aggregated)
		aggregate_gather(ppdu);
	else
		aggregate_add(ppdu, first);

	if (ppdu->frames > 1) {
		ppdu->response = AL_RESPONSE_BA;
		ppdu->reference = ++edcaf->radio->medium->reference;
	} else if (queue->link->kind != AL_LINK_MULTICAST) {
		ppdu->response = AL_RESPONSE_ACK;
	}
	al_ppdu_settle_times(ppdu);
	aggregate_enter(edcaf, ppdu);
	return true;
}

/* Returns the first queue that may send a frame and has room for its PPDU. */
static struct al_queue *aggregate_next_queue(struct al_edcaf *edcaf)
{
	struct al_queue *queue;

	list_for_each_entry(queue, &edcaf->backlog, node)
		if (al_aggregate_has_room(edcaf, queue) && al_queue_peek(queue))
			return queue;
	return NULL;
}

/* Forms PPDUs of the queues in edcaf->backlog, which take turns, as long as there
 * is room.
 */
void al_aggregate_fill_in_turn(struct al_edcaf *edcaf)
{
	struct al_queue *queue;

	while ((queue = aggregate_next_queue(edcaf)) &&
	       al_aggregate_form(edcaf, queue)) {
		if (al_queue_waits(queue))
			list_move_tail(&queue->node, &edcaf->backlog);
		else
			list_del_init(&queue->node);
	}
}

/* Forms PPDUs in the way of the front end. */
void al_aggregate_fill(struct al_edcaf *edcaf)
{
	if (edcaf->radio->ops->form_ppdus)
		edcaf->radio->ops->form_ppdus(edcaf);
	else
		al_aggregate_fill_in_turn(edcaf);
}
