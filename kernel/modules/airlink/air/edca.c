// SPDX-License-Identifier: GPL-2.0
/*
 * Enhanced distributed channel access (10.23.2).
 *
 * Each access category of a radio has a function (EDCAF) that contends. When it has
 * something to send it waits until the medium has been idle for AIFS, and then for
 * as many slots as it has drawn. At each slot boundary (the first is the end of
 * AIFS) it sends if its counter is 0, and otherwise counts down, also at the
 * boundary at which another begins to send. It draws anew after each of its PPDUs,
 * whether or not it has another one (post-backoff), and when it gets something to
 * send while the medium is busy and its counter is 0. After a failure the
 * contention window doubles, up to CWmax; a success, or giving up on a PPDU, takes
 * it back to CWmin.
 *
 * Boundaries go on while nobody sends: a frame that finds an idle medium and a
 * counter of 0 goes out at the next one.
 *
 * Nothing runs in a slot: the time of access follows from the time since which
 * the radio has sensed an idle medium, and the counter is brought up to date when
 * the medium becomes busy.
 */

#include <linux/ktime.h>
#include <linux/math64.h>

#include "air/edca.h"
#include "air/medium.h"
#include "radio/radio.h"

/* Table 9-155. The functions of an access point have other values; mac80211 passes
 * them on (hostapd's tx_queue settings).
 */
const struct al_edca_params al_edca_defaults[AL_ACS] = {
	[AL_AC_VO] = { .aifsn = 2, .cw_min = 3, .cw_max = 7, .txop_us = 1504 },
	[AL_AC_VI] = { .aifsn = 2, .cw_min = 7, .cw_max = 15, .txop_us = 3008 },
	[AL_AC_BE] = { .aifsn = 3, .cw_min = 15, .cw_max = 1023 },
	[AL_AC_BK] = { .aifsn = 7, .cw_min = 15, .cw_max = 1023 },
};

void al_edcaf_init(struct al_edcaf *edcaf, struct al_radio *radio, u8 ac)
{
	edcaf->radio = radio;
	edcaf->ac = ac;
	edcaf->params = al_edca_defaults[ac];
	edcaf->cw = edcaf->params.cw_min;
	INIT_LIST_HEAD(&edcaf->node);
	INIT_LIST_HEAD(&edcaf->ready);
	INIT_LIST_HEAD(&edcaf->backlog);
}

/* Returns the first slot boundary of this idle period, or AL_NEVER_NS. */
static u64 edca_first_boundary_ns(const struct al_edcaf *edcaf)
{
	const struct al_band *band = edcaf->radio->medium->band;
	u64 idle_ns = al_radio_idle_from_ns(edcaf->radio);

	if (idle_ns == AL_NEVER_NS)
		return AL_NEVER_NS;
	return idle_ns + band->sifs_ns + edcaf->params.aifsn * band->slot_ns;
}

/* Returns when the function will send, as things are now, or AL_NEVER_NS. */
u64 al_edcaf_access_ns(const struct al_edcaf *edcaf)
{
	u32 slot_ns = edcaf->radio->medium->band->slot_ns;
	u64 first_ns = edca_first_boundary_ns(edcaf);
	u32 slots = edcaf->slots;

	if (first_ns == AL_NEVER_NS)
		return AL_NEVER_NS;
	if (edcaf->asked_ns > first_ns)
		slots = max_t(u64, slots,
			      div_u64(edcaf->asked_ns - first_ns + slot_ns - 1,
				      slot_ns));
	return first_ns + (u64)slots * slot_ns;
}

/* The countdown may be shorter than it was when the medium's timer was set. One that
 * would be over by now ends at the next boundary, and not in the past.
 */
void al_edcaf_go_on(struct al_edcaf *edcaf)
{
	if (list_empty(&edcaf->node))
		return;
	edcaf->asked_ns = ktime_get_ns();
	al_medium_schedule(edcaf->radio->medium, al_edcaf_access_ns(edcaf));
}

/* A new contention window takes effect with the next draw, a new AIFS at once. */
void al_edcaf_configure(struct al_edcaf *edcaf,
			const struct al_edca_params *params)
{
	edcaf->params = *params;
	edcaf->cw = clamp(edcaf->cw, params->cw_min, params->cw_max);
	al_edcaf_go_on(edcaf);
}

/* Counts down the slot boundaries until @now_ns, when the medium becomes busy. */
void al_edcaf_freeze(struct al_edcaf *edcaf, u64 now_ns)
{
	u32 slot_ns = edcaf->radio->medium->band->slot_ns;
	u64 first_ns, passed;

	if (!edcaf->slots)
		return;
	first_ns = edca_first_boundary_ns(edcaf);
	if (now_ns < first_ns)
		return;
	passed = div_u64(now_ns - first_ns, slot_ns) + 1;
	edcaf->slots -= min_t(u64, edcaf->slots, passed);
}

static void edca_draw(struct al_edcaf *edcaf)
{
	edcaf->slots = al_medium_random(edcaf->radio->medium, edcaf->cw + 1);
}

/* The function has a PPDU ready, and had none before: it begins to contend. */
void al_edcaf_ask(struct al_edcaf *edcaf, u64 now_ns)
{
	struct al_medium *medium = edcaf->radio->medium;

	if (!edcaf->slots && now_ns < al_radio_idle_from_ns(edcaf->radio))
		edca_draw(edcaf);
	edcaf->asked_ns = now_ns;
	list_add_tail(&edcaf->node, &medium->contenders);
	al_medium_schedule(medium, al_edcaf_access_ns(edcaf));
}

/* An exchange was answered, or its PPDU was given up (10.23.2.2 b). */
void al_edcaf_succeeded(struct al_edcaf *edcaf)
{
	edcaf->cw = edcaf->params.cw_min;
	edca_draw(edcaf);
}

/* An exchange was not answered; its PPDU will be tried again. */
void al_edcaf_failed(struct al_edcaf *edcaf)
{
	edcaf->cw = min_t(u32, 2 * edcaf->cw + 1, edcaf->params.cw_max);
	edca_draw(edcaf);
}
