// SPDX-License-Identifier: GPL-2.0
/*
 * A channel: a small simulator of discrete events, with one timer.
 *
 * There are two kinds of events: a step of an exchange that is under way (a frame
 * ends, an answer begins, a timeout), and an access: a function whose countdown is
 * over.
 * Functions that come to their end at the same nanosecond all send; they have
 * collided. Events are dealt with in the order of their times and as of their
 * times, so that a timer that comes late (on a machine in real time) delays what
 * happens, but distorts nothing that follows from it.
 *
 * The cost of an event grows with the radios that contend at that moment and with
 * those that hear the one that sends, by some ns each.
 */

#include <linux/slab.h>

#include "air/exchange.h"
#include "air/medium.h"
#include "compat.h"
#include "radio/radio.h"

/* Returns a random number, evenly distributed in [0, below). */
u32 al_medium_random(struct al_medium *medium, u32 below)
{
	return ((u64)prandom_u32_state(&medium->random) * below) >> 32;
}

static struct al_exchange *medium_next_step(struct al_medium *medium)
{
	struct al_exchange *exchange, *next = NULL;

	list_for_each_entry(exchange, &medium->exchanges, node)
		if (!next || exchange->at_ns < next->at_ns)
			next = exchange;
	return next;
}

static u64 medium_next_access_ns(struct al_medium *medium)
{
	u64 next_ns = AL_NEVER_NS;
	struct al_edcaf *edcaf;

	list_for_each_entry(edcaf, &medium->contenders, node)
		next_ns = min(next_ns, al_edcaf_access_ns(edcaf));
	return next_ns;
}

/*
 * All functions whose countdown ends at @at_ns begin to send. Which they are has to
 * be settled before the first of them makes the medium busy. Of two functions of
 * one radio the more urgent one sends, and for the other it is as if it had
 * collided (10.23.2.4).
 */
static void medium_begin_exchanges(struct al_medium *medium, u64 at_ns)
{
	DECLARE_BITMAP(lost, AL_ACS);
	struct al_edcaf *edcaf, *next;
	struct al_radio *radio;
	LIST_HEAD(winners);
	int ac;

	list_for_each_entry_safe(edcaf, next, &medium->contenders, node)
		if (al_edcaf_access_ns(edcaf) == at_ns)
			list_move_tail(&edcaf->node, &winners);

	while ((edcaf = list_first_entry_or_null(&winners, struct al_edcaf,
						 node))) {
		radio = edcaf->radio;
		bitmap_zero(lost, AL_ACS);
		list_for_each_entry_safe(edcaf, next, &winners, node) {
			if (edcaf->radio != radio)
				continue;
			__set_bit(edcaf->ac, lost);
			list_move_tail(&edcaf->node, &medium->contenders);
		}
		ac = find_first_bit(lost, AL_ACS);
		al_exchange_begin(&radio->edcaf[ac], at_ns);
		for_each_set_bit_from(ac, lost, AL_ACS)
			if (radio->exchange.edcaf != &radio->edcaf[ac])
				al_edcaf_failed(&radio->edcaf[ac]);
	}
}

/* Carries out all that is due by @now_ns. Returns when the next event is due. */
static u64 medium_run(struct al_medium *medium, u64 now_ns)
{
	struct al_exchange *exchange;
	u64 access_ns, step_ns;

	for (;;) {
		exchange = medium_next_step(medium);
		step_ns = exchange ? exchange->at_ns : AL_NEVER_NS;
		access_ns = medium_next_access_ns(medium);
		if (min(step_ns, access_ns) > now_ns)
			return min(step_ns, access_ns);
		if (step_ns <= access_ns)
			al_exchange_advance(exchange);
		else
			medium_begin_exchanges(medium, access_ns);
	}
}

static void medium_arm(struct al_medium *medium, u64 at_ns)
{
	medium->armed_ns = at_ns;
	if (at_ns != AL_NEVER_NS)
		hrtimer_start(&medium->timer, ns_to_ktime(at_ns),
			      HRTIMER_MODE_ABS_SOFT);
}

static enum hrtimer_restart medium_due(struct hrtimer *timer)
{
	struct al_medium *medium = container_of(timer, struct al_medium,
						timer);

	spin_lock(&medium->lock);
	medium->armed_ns = 0;	/* keeps al_medium_schedule() from arming */
	medium_arm(medium, medium_run(medium, ktime_get_ns()));
	spin_unlock(&medium->lock);
	return HRTIMER_NORESTART;
}

/* Sets the timer for an event at @at_ns, if none is due before. Caller holds the
 * lock.
 */
void al_medium_schedule(struct al_medium *medium, u64 at_ns)
{
	if (at_ns < medium->armed_ns)
		medium_arm(medium, at_ns);
}

struct al_medium *al_medium_create(u32 id, const struct al_band *band,
				   u64 seed)
{
	struct al_medium *medium = kzalloc(sizeof(*medium), GFP_KERNEL);

	if (!medium)
		return NULL;
	medium->id = id;
	medium->band = band;
	medium->armed_ns = AL_NEVER_NS;
	spin_lock_init(&medium->lock);
	prandom_seed_state(&medium->random, seed);
	INIT_LIST_HEAD(&medium->all);
	INIT_LIST_HEAD(&medium->radios);
	INIT_LIST_HEAD(&medium->contenders);
	INIT_LIST_HEAD(&medium->exchanges);
	al_hrtimer_setup(&medium->timer, medium_due, CLOCK_MONOTONIC,
			 HRTIMER_MODE_ABS_SOFT);
	return medium;
}

/* The medium must not have radios any more. */
void al_medium_destroy(struct al_medium *medium)
{
	hrtimer_cancel(&medium->timer);
	kfree(medium);
}
