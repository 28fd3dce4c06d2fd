// SPDX-License-Identifier: GPL-2.0
/*
 * A frame exchange sequence:
 *
 *	[ RTS  SIFS  CTS  SIFS ]  PPDU  SIFS  ACK or block ack
 *
 * Hearing. A frame makes the medium busy for all radios that hear its sender, from
 * its first to its last ns. A radio that hears two frames at a time, or sends
 * itself, can decode neither (there is no capture effect). Nor does one decode a
 * frame whose beginning it has missed. A radio that decodes a frame keeps silent as
 * long as its Duration field says (NAV). One that hears a frame and cannot decode it
 * waits EIFS instead of AIFS, that is, for the ACK that may follow (10.3.2.3.7),
 * unless it can decode a frame that comes in between.
 *
 * Failing. A sender that gets no answer learns it after the ACK timeout, and
 * counts AIFS from there (10.23.2.4 c). A receiver that decodes no MPDU of a PPDU
 * does not answer. A PPDU that was not answered is sent again as it is, up to the
 * tries that its rates have, each time after a doubled contention window; after
 * that its frames go back to their queue, to be sent in other PPDUs as long as
 * they have tries. There is no BlockAckReq after a missed block ack: ath9k sends
 * the data again, too.
 *
 * TXOP. A function with a TXOP limit goes on SIFS after an answer as long as
 * another whole exchange fits in.
 */

#include "air/exchange.h"
#include "air/reception.h"
#include "capture/sniffer.h"
#include "radio/ppdu.h"
#include "radio/radio.h"

/* Returns the time from the end of the frame of @step to that of the exchange. */
static u64 exchange_rest_ns(enum al_step step, const struct al_ppdu *ppdu,
			    const struct al_band *band)
{
	const struct al_rate *rate = &al_ppdu_stage(ppdu)->rate;
	u64 ns = 0;

	switch (step) {
	case AL_STEP_RTS:
		ns += band->sifs_ns + al_control_ns(rate, band, AL_CTS_BYTES);
		fallthrough;
	case AL_STEP_CTS:
		ns += band->sifs_ns + ppdu->ns;
		fallthrough;
	case AL_STEP_DATA:
		if (ppdu->response != AL_RESPONSE_NONE)
			ns += band->sifs_ns + ppdu->response_ns;
		fallthrough;
	default:
		return ns;
	}
}

static enum al_step exchange_first_step(const struct al_ppdu *ppdu)
{
	return ppdu->protected ? AL_STEP_RTS : AL_STEP_DATA;
}

static u64 exchange_first_frame_ns(const struct al_ppdu *ppdu,
				   const struct al_band *band)
{
	return ppdu->protected ?
	       al_control_ns(&al_ppdu_stage(ppdu)->rate, band, AL_RTS_BYTES) :
	       ppdu->ns;
}

/* The medium becomes busy for @radio: its functions stop to count down. */
static void exchange_freeze(struct al_radio *radio, u64 now_ns)
{
	int ac;

	if (al_radio_idle_from_ns(radio) < now_ns)
		for (ac = 0; ac < AL_ACS; ac++)
			al_edcaf_freeze(&radio->edcaf[ac], now_ns);
}

static void exchange_make_busy(struct al_radio *radio, u64 from_ns,
			       u64 until_ns)
{
	u64 busy_from_ns = max(from_ns, radio->heard_until_ns);

	exchange_freeze(radio, from_ns);
	if (until_ns > busy_from_ns) {
		radio->stats.busy_ns += until_ns - busy_from_ns;
		radio->heard_until_ns = until_ns;
	}
}

/* @radio begins to hear while frames are on the air: those of @from, or all if that is
 * NULL. It senses the rest of them, but has missed their beginning, without which a
 * receiver decodes nothing, nor knows of a frame that it has to wait EIFS after.
 */
void al_exchange_missed(struct al_radio *radio, const struct al_radio *from)
{
	u64 now_ns = ktime_get_ns();
	struct al_exchange *exchange;

	list_for_each_entry(exchange, &radio->medium->exchanges, node) {
		if (!exchange->on_air || (from && exchange->from != from))
			continue;
		__set_bit(radio->index, exchange->deaf);
		if (test_bit(radio->index, exchange->from->hearers))
			exchange_make_busy(radio, now_ns, exchange->at_ns);
	}
}

/* The frame of this step goes on the air. */
static void exchange_start_frame(struct al_exchange *exchange)
{
	struct al_radio *from = exchange->from;
	struct al_medium *medium = from->medium;
	u64 now_ns = exchange->at_ns;
	struct al_exchange *other;
	unsigned int index;

	exchange->on_air = true;
	exchange->at_ns = now_ns + exchange->frame_ns;
	bitmap_zero(exchange->garbled, AL_RADIOS_MAX);
	bitmap_zero(exchange->deaf, AL_RADIOS_MAX);
	__set_bit(from->index, exchange->deaf);

	list_for_each_entry(other, &medium->exchanges, node) {
		if (other == exchange || !other->on_air)
			continue;
		bitmap_or(exchange->garbled, exchange->garbled,
			  other->from->hearers, AL_RADIOS_MAX);
		bitmap_or(other->garbled, other->garbled, from->hearers,
			  AL_RADIOS_MAX);
		__set_bit(other->from->index, exchange->deaf);
		__set_bit(from->index, other->deaf);
	}

	from->stats.tx_ns += exchange->frame_ns;
	for_each_set_bit(index, from->hearers, AL_RADIOS_MAX)
		exchange_make_busy(medium->radio_at[index], now_ns,
				   exchange->at_ns);
}

/* Sets the next step: @from sends a frame after a gap of @gap_ns. */
static void exchange_prepare(struct al_exchange *exchange, enum al_step step,
			     struct al_radio *from, u64 frame_ns, u64 gap_ns)
{
	exchange->step = step;
	exchange->from = from;
	exchange->frame_ns = frame_ns;
	exchange->at_ns += gap_ns;
	exchange->on_air = false;
}

static void exchange_prepare_first(struct al_exchange *exchange, u64 gap_ns)
{
	struct al_radio *radio = exchange->edcaf->radio;
	const struct al_ppdu *ppdu = exchange->ppdu;

	if (ppdu->protected)
		radio->stats.rts++;
	exchange_prepare(exchange, exchange_first_step(ppdu), radio,
			 exchange_first_frame_ns(ppdu, radio->medium->band),
			 gap_ns);
}

/* @edcaf has won the medium and sends the first of its PPDUs. */
void al_exchange_begin(struct al_edcaf *edcaf, u64 now_ns)
{
	struct al_radio *radio = edcaf->radio;
	struct al_exchange *exchange = &radio->exchange;
	u32 txop_us = edcaf->params.txop_us;

	exchange->edcaf = edcaf;
	exchange->ppdu = list_first_entry(&edcaf->ready, struct al_ppdu, node);
	exchange->began_ns = now_ns;
	exchange->at_ns = now_ns;
	exchange->txop_end_ns = txop_us ?
				now_ns + (u64)txop_us * NSEC_PER_USEC : 0;

	exchange_freeze(radio, now_ns);
	radio->own_until_ns = AL_NEVER_NS;
	list_add_tail(&exchange->node, &radio->medium->exchanges);
	exchange_prepare_first(exchange, 0);
	exchange_start_frame(exchange);
}

/* The radios that have heard the frame set their NAV, or wait EIFS. */
static void exchange_settle_hearers(struct al_exchange *exchange)
{
	struct al_medium *medium = exchange->from->medium;
	u64 nav_ns = exchange->at_ns + exchange->remaining_ns;
	u64 eifs_ns = exchange->at_ns + al_eifs_minus_difs_ns(medium->band);
	struct al_radio *radio;
	unsigned int index;

	for_each_set_bit(index, exchange->from->hearers, AL_RADIOS_MAX) {
		if (test_bit(index, exchange->deaf))
			continue;
		radio = medium->radio_at[index];
		if (test_bit(index, exchange->garbled)) {
			radio->eifs_until_ns = eifs_ns;
			continue;
		}
		radio->eifs_until_ns = 0;
		/* The two that the exchange is between set no NAV. */
		if (radio != exchange->edcaf->radio &&
		    radio != exchange->ppdu->queue->link->to)
			radio->nav_until_ns = max(radio->nav_until_ns, nav_ns);
	}
}

/* Charges the airtime that the exchange has taken so far. */
static void exchange_charge_airtime(struct al_exchange *exchange)
{
	struct al_queue *queue = exchange->ppdu->queue;
	u64 ns = exchange->at_ns - exchange->began_ns;

	queue->link->airtime_ns += ns;
	queue->airtime_ns += ns;
}

/* The PPDU is through, @answered or given up. */
static void exchange_finish(struct al_exchange *exchange, bool answered)
{
	struct al_edcaf *edcaf = exchange->edcaf;
	u64 now_ns = exchange->at_ns;

	exchange_charge_airtime(exchange);
	al_ppdu_close(exchange->ppdu, answered, now_ns);
	al_edcaf_succeeded(edcaf);
	al_host_exchange_over(edcaf->radio, now_ns);
	exchange->ppdu = list_first_entry_or_null(&edcaf->ready,
						  struct al_ppdu, node);
}

/* The radio gives the medium back. */
static void exchange_leave(struct al_exchange *exchange)
{
	struct al_edcaf *edcaf = exchange->edcaf;
	struct al_radio *radio = edcaf->radio;

	exchange->step = AL_STEP_NONE;
	exchange->edcaf = NULL;
	exchange->on_air = false;
	list_del_init(&exchange->node);
	radio->own_until_ns = exchange->at_ns;
	if (list_empty(&edcaf->ready))
		list_del_init(&edcaf->node);
}

/* Returns the time of the whole exchange of the next PPDU, with the gap before it. */
static u64 exchange_next_ns(const struct al_exchange *exchange)
{
	const struct al_band *band = exchange->edcaf->radio->medium->band;
	const struct al_ppdu *ppdu = exchange->ppdu;

	return band->sifs_ns + exchange_first_frame_ns(ppdu, band) +
	       exchange_rest_ns(exchange_first_step(ppdu), ppdu, band);
}

static void exchange_succeed(struct al_exchange *exchange)
{
	const struct al_band *band = exchange->edcaf->radio->medium->band;

	exchange_finish(exchange, true);
	if (exchange->ppdu && exchange->txop_end_ns &&
	    exchange->at_ns + exchange_next_ns(exchange) <=
	    exchange->txop_end_ns) {
		exchange->began_ns = exchange->at_ns;
		exchange_prepare_first(exchange, band->sifs_ns);
		return;
	}
	exchange_leave(exchange);
}

static void exchange_fail(struct al_exchange *exchange)
{
	exchange->edcaf->radio->stats.ppdus_failed++;
	if (al_ppdu_try_again(exchange->ppdu)) {
		exchange_charge_airtime(exchange);
		al_edcaf_failed(exchange->edcaf);
	} else {
		exchange_finish(exchange, false);
	}
	exchange_leave(exchange);
}

static void exchange_await_timeout(struct al_exchange *exchange)
{
	const struct al_band *band = exchange->from->medium->band;

	exchange->step = AL_STEP_TIMEOUT;
	exchange->on_air = false;
	exchange->at_ns += al_ack_timeout_ns(band);
}

static void exchange_end_rts(struct al_exchange *exchange)
{
	struct al_radio *to = exchange->ppdu->queue->link->to;
	const struct al_band *band = exchange->from->medium->band;
	const struct al_rate *rate = &al_ppdu_stage(exchange->ppdu)->rate;

	if (al_reception_decodes(exchange, to) &&
	    to->nav_until_ns <= exchange->at_ns)
		exchange_prepare(exchange, AL_STEP_CTS, to,
				 al_control_ns(rate, band, AL_CTS_BYTES),
				 band->sifs_ns);
	else
		exchange_await_timeout(exchange);
}

static void exchange_end_cts(struct al_exchange *exchange)
{
	struct al_radio *radio = exchange->edcaf->radio;

	if (al_reception_decodes(exchange, radio))
		exchange_prepare(exchange, AL_STEP_DATA, radio,
				 exchange->ppdu->ns,
				 radio->medium->band->sifs_ns);
	else
		exchange_fail(exchange);
}

static void exchange_end_data(struct al_exchange *exchange)
{
	struct al_ppdu *ppdu = exchange->ppdu;
	struct al_radio *to = ppdu->queue->link->to;
	struct al_stats *stats = &exchange->from->stats;

	stats->ppdus++;
	stats->subframes += ppdu->frames;
	stats->subframes_of[ppdu->frames - 1]++;
	if (ppdu->response == AL_RESPONSE_NONE) {
		al_reception_multicast(exchange);
		exchange_succeed(exchange);
		return;
	}
	if (unlikely(exchange->from->medium->listeners))
		al_reception_overheard(exchange);
	if (al_reception_decodes(exchange, to)) {
		if (al_reception_unicast(exchange, to)) {
			exchange_prepare(exchange, AL_STEP_RESPONSE, to,
					 ppdu->response_ns,
					 to->medium->band->sifs_ns);
			return;
		}
		/* No MPDU has a good FCS: it could not decode anything. */
		to->eifs_until_ns = exchange->at_ns +
				    al_eifs_minus_difs_ns(to->medium->band);
	}
	exchange_await_timeout(exchange);
}

static void exchange_end_response(struct al_exchange *exchange)
{
	if (al_reception_decodes(exchange, exchange->edcaf->radio))
		exchange_succeed(exchange);
	else
		exchange_fail(exchange);
}

/* Carries out the event of exchange->at_ns. */
void al_exchange_advance(struct al_exchange *exchange)
{
	if (exchange->step == AL_STEP_TIMEOUT) {
		exchange_fail(exchange);
		return;
	}
	if (!exchange->on_air) {
		exchange_start_frame(exchange);
		return;
	}

	exchange->on_air = false;
	exchange->remaining_ns =
		exchange_rest_ns(exchange->step, exchange->ppdu,
				 exchange->from->medium->band);
	exchange_settle_hearers(exchange);
	if (unlikely(exchange->from->medium->sniffer))
		al_sniff(exchange);
	switch (exchange->step) {
	case AL_STEP_RTS:
		exchange_end_rts(exchange);
		break;
	case AL_STEP_CTS:
		exchange_end_cts(exchange);
		break;
	case AL_STEP_DATA:
		exchange_end_data(exchange);
		break;
	default:
		exchange_end_response(exchange);
		break;
	}
}

/* Cuts off the exchange that @radio has begun, because one of its two radios goes
 * down.
 */
void al_exchange_abort(struct al_radio *radio)
{
	struct al_exchange *exchange = &radio->exchange;

	if (exchange->step == AL_STEP_NONE)
		return;
	exchange->step = AL_STEP_NONE;
	exchange->on_air = false;
	exchange->edcaf = NULL;
	list_del_init(&exchange->node);
	radio->own_until_ns = ktime_get_ns();
}
