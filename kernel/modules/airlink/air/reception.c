// SPDX-License-Identifier: GPL-2.0
/*
 * The receiving side of an exchange: who can decode a PPDU, which of its MPDUs
 * get lost in noise, and what goes up to a host. The frames of a PPDU go up all at
 * once, at its end.
 */

#include "air/exchange.h"
#include "air/reception.h"
#include "radio/ppdu.h"
#include "radio/radio.h"
#include "radio/received.h"

/* Returns whether @radio can decode the frame of this step. It is NULL if nobody
 * has the address that the frame is for.
 */
bool al_reception_decodes(const struct al_exchange *exchange,
			  const struct al_radio *radio)
{
	return radio && radio->up &&
	       test_bit(radio->index, exchange->from->hearers) &&
	       !test_bit(radio->index, exchange->garbled) &&
	       !test_bit(radio->index, exchange->deaf);
}

/* Returns a copy of each MSDU for @to, linked by skb->next. */
static struct sk_buff *reception_copies(struct al_radio *to,
					struct al_exchange *exchange,
					struct al_mpdu *mpdu)
{
	const struct al_link *link = exchange->from->link_to[to->index];
	struct al_queue *queue = exchange->ppdu->queue;
	const struct al_ppdu *ppdu = exchange->ppdu;
	struct sk_buff *skb, *copy, *first = NULL, **last = &first;

	for (skb = mpdu->skbs; skb; skb = skb->next) {
		copy = exchange->from->ops->copy(queue, skb);
		if (unlikely(!copy))
			continue;
		*al_received(copy) = (struct al_received) {
			.rate = al_ppdu_stage(ppdu)->rate,
			.mhz = exchange->from->mhz,
			.reference = ppdu->reference,
			.snr_cdb = link ? link->snr_cdb : AL_SNR_NONE,
			.tid = queue->tid,
			.aggregated = ppdu->frames > 1,
			.at_ns = exchange->at_ns,
			.airtime_ns = ppdu->ns / ppdu->frames,
		};
		*last = copy;
		last = &copy->next;
	}
	return first;
}

/* Returns whether the front end of @to has a use for frames of @from. Those of
 * different kinds do not understand each other; they only keep out of each other's
 * way.
 */
static bool reception_understands(const struct al_radio *to,
				  const struct al_radio *from)
{
	return to->ops->receive == from->ops->receive &&
	       (!to->ops->accepts || to->ops->accepts(to, from));
}

/* Passes an MPDU to the host of @to, or to its reorder buffer. */
static void reception_hand_over(struct al_exchange *exchange,
				struct al_mpdu *mpdu, struct al_radio *to)
{
	struct al_queue *queue = exchange->ppdu->queue;
	struct sk_buff *first, *skb, *next;
	struct sk_buff_head up;

	if (!reception_understands(to, exchange->from))
		return;
	first = reception_copies(to, exchange, mpdu);
	__skb_queue_head_init(&up);
	if (queue->reorders && queue->link->to == to) {
		al_reorder_put(&queue->reorder, mpdu->seq, first, &up);
	} else {
		skb_list_walk_safe(first, skb, next) {
			skb_mark_not_on_list(skb);
			__skb_queue_tail(&up, skb);
		}
	}
	while ((skb = __skb_dequeue(&up)))
		al_host_received(to, skb);
}

/* The receiver gets what is not lost in noise. Returns whether that is any MPDU. */
bool al_reception_unicast(struct al_exchange *exchange, struct al_radio *to)
{
	const struct al_rate *rate = &al_ppdu_stage(exchange->ppdu)->rate;
	struct al_link *link = exchange->ppdu->queue->link;
	struct al_mpdu *mpdu;
	bool any = false, new = false;

	list_for_each_entry(mpdu, &exchange->ppdu->mpdus, node) {
		if (al_link_loses(link, rate, mpdu->bytes))
			continue;
		any = true;
		if (mpdu->received)	/* before; the block ack got lost */
			continue;
		mpdu->received = true;
		new = true;
		reception_hand_over(exchange, mpdu, to);
	}
	if (new)
		al_host_arm(to);
	return any;
}

/* Radios whose hosts want others' frames, too (monitor mode), get theirs. */
void al_reception_overheard(struct al_exchange *exchange)
{
	const struct al_rate *rate = &al_ppdu_stage(exchange->ppdu)->rate;
	struct al_radio *from = exchange->from, *radio;
	struct al_mpdu *mpdu;
	struct al_link *link;

	list_for_each_entry(radio, &from->medium->radios, node) {
		if (!radio->listens || !al_reception_decodes(exchange, radio) ||
		    radio == exchange->ppdu->queue->link->to)
			continue;
		link = from->link_to[radio->index];
		list_for_each_entry(mpdu, &exchange->ppdu->mpdus, node)
			if (!link || !al_link_loses(link, rate, mpdu->bytes))
				reception_hand_over(exchange, mpdu, radio);
		al_host_arm(radio);
	}
}

/* All who can decode it get the frame. */
void al_reception_multicast(struct al_exchange *exchange)
{
	struct al_mpdu *mpdu = list_first_entry(&exchange->ppdu->mpdus,
						struct al_mpdu, node);
	struct al_radio *radio;

	list_for_each_entry(radio, &exchange->from->medium->radios, node)
		if (al_reception_decodes(exchange, radio)) {
			reception_hand_over(exchange, mpdu, radio);
			al_host_arm(radio);
		}
}
