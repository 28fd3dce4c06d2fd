// SPDX-License-Identifier: GPL-2.0
/*
 * The way from one radio to another. A link comes into being with its first frame
 * or setting, and goes with either of its radios. Its errors hit MPDUs, each by
 * itself. Acknowledgments, RTS and CTS are short and at a robust rate: they get lost
 * in collisions only.
 */

#include <linux/slab.h>

#include "radio/radio.h"

static struct al_link *link_create(struct al_radio *from, struct al_radio *to,
				   enum al_link_kind kind)
{
	struct al_link *link = kzalloc(sizeof(*link), GFP_ATOMIC);

	if (!link)
		return NULL;
	link->from = from;
	link->to = to;
	link->kind = kind;
	link->rate = from->rate;
	link->rate_fixed = from->rate_fixed;
	link->snr_cdb = AL_SNR_NONE;
	return link;
}

/* The link between two radios. Returns NULL if there is no memory. */
struct al_link *al_link_get(struct al_radio *from, struct al_radio *to)
{
	struct al_link **link = &from->link_to[to->index];

	if (!*link)
		*link = link_create(from, to, AL_LINK_UNICAST);
	return *link;
}

/* The link for multicast frames. Returns NULL if there is no memory. */
struct al_link *al_link_get_multicast(struct al_radio *from)
{
	if (!from->link_to_all)
		from->link_to_all = link_create(from, NULL, AL_LINK_MULTICAST);
	return from->link_to_all;
}

/* The link for unicast frames to addresses that no radio has: they take their
 * time on the air and are not answered. Returns NULL if there is no memory.
 */
struct al_link *al_link_get_nobody(struct al_radio *from)
{
	if (!from->link_to_nobody)
		from->link_to_nobody = link_create(from, NULL, AL_LINK_NOBODY);
	return from->link_to_nobody;
}

/* No PPDU must have frames of the link any more. */
void al_link_destroy(struct al_link *link)
{
	u8 tid;

	for (tid = 0; tid < AL_TIDS; tid++)
		if (link->queues[tid])
			al_queue_destroy(link->queues[tid]);
	switch ((enum al_link_kind)link->kind) {
	case AL_LINK_UNICAST:
		link->from->link_to[link->to->index] = NULL;
		break;
	case AL_LINK_MULTICAST:
		link->from->link_to_all = NULL;
		break;
	case AL_LINK_NOBODY:
		link->from->link_to_nobody = NULL;
		break;
	}
	kfree(link);
}

/* Returns the queue of a traffic class, NULL if there is no memory. */
struct al_queue *al_link_queue(struct al_link *link, u8 tid)
{
	if (unlikely(!link->queues[tid]))
		link->queues[tid] = al_queue_create(link, tid);
	return link->queues[tid];
}

/* Draws whether an MPDU of so many bytes gets lost this time. */
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
