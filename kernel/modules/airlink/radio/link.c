// SPDX-License-Identifier: GPL-2.0
/*
 * From one radio to another. A link comes into being with its first frame or
 * setting, and goes with either of its radios. Its errors hit MPDUs, each by
 * itself; acknowledgements, RTS and CTS are not lost on a link (they are short and
 * at a robust rate), but to a collision.
 */

#include <linux/slab.h>

#include "radio/radio.h"

static struct al_link *link_create(struct al_radio *from, struct al_radio *to)
{
	struct al_link *link = kzalloc(sizeof(*link), GFP_ATOMIC);

	if (!link)
		return NULL;
	link->from = from;
	link->to = to;
	link->rate = from->rate;
	link->rate_fixed = from->rate_fixed;
	link->snr_cdb = AL_SNR_NONE;
	return link;
}

/* @to NULL: to all. Returns NULL if there is no memory. */
struct al_link *al_link_get(struct al_radio *from, struct al_radio *to)
{
	struct al_link **at = to ? &from->link_to[to->index] :
				   &from->link_to_all;

	if (!*at)
		*at = link_create(from, to);
	return *at;
}

/* To addresses that nobody has: what is sent there takes its time, and is not
 * answered. NULL if there is no memory.
 */
struct al_link *al_link_get_nobody(struct al_radio *from)
{
	struct al_link *link = from->link_to_nobody;

	if (link)
		return link;
	link = link_create(from, NULL);
	if (!link)
		return NULL;
	link->nobody = true;
	from->link_to_nobody = link;
	return link;
}

/* No PPDU has any of its frames. */
void al_link_destroy(struct al_link *link)
{
	u8 tid;

	for (tid = 0; tid < AL_TIDS; tid++)
		if (link->queues[tid])
			al_queue_destroy(link->queues[tid]);
	if (link->to)
		link->from->link_to[link->to->index] = NULL;
	else if (link->nobody)
		link->from->link_to_nobody = NULL;
	else
		link->from->link_to_all = NULL;
	kfree(link);
}

/* NULL if there is no memory. */
struct al_queue *al_link_queue(struct al_link *link, u8 tid)
{
	if (unlikely(!link->queues[tid]))
		link->queues[tid] = al_queue_create(link, tid);
	return link->queues[tid];
}

/* Whether an MPDU of so many bytes gets lost on its way, this time. */
bool al_link_loses(struct al_link *link, const struct al_rate *rate, u32 bytes)
{
	struct al_medium *medium = link->from->medium;

	if (link->loss &&
	    al_medium_random(medium, AL_LOSS_SCALE) < link->loss)
		return true;
	if (link->snr_cdb == AL_SNR_NONE)
		return false;
	return al_medium_random(medium, AL_LOSS_SCALE) <
	       al_error_of_mpdu(rate, link->snr_cdb, bytes);
}
