/* SPDX-License-Identifier: GPL-2.0 */
/* A channel, and the radios on it; see medium.c. */
#ifndef AIRLINK_MEDIUM_H
#define AIRLINK_MEDIUM_H

#include <linux/bitmap.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/prandom.h>
#include <linux/spinlock.h>

#include "air/phy.h"

struct al_edcaf;
struct al_exchange;
struct al_radio;
struct al_sniffer;

#define AL_RADIOS_MAX		256
#define AL_ADDRESS_BUCKETS	256

struct al_medium {
	/* These are set once and need no lock. */
	u32 id;
	const struct al_band *band;
	struct hrtimer timer;
	struct list_head all;		/* in al_media, under al_mutex */

	/* The lock guards all that follows, and the radios. It is taken with
	 * softirqs off.
	 */
	spinlock_t lock;
	u64 armed_ns;			/* when the timer expires */
	struct rnd_state random;
	DECLARE_BITMAP(indices, AL_RADIOS_MAX);	/* those that are taken */
	struct al_radio *radio_at[AL_RADIOS_MAX];	/* by index */
	struct list_head radios;
	struct hlist_head by_address[AL_ADDRESS_BUCKETS];
	struct list_head contenders;	/* al_edcaf with PPDUs ready */
	struct list_head exchanges;	/* al_exchange under way */
	u32 reference;			/* the number of the last A-MPDU */
	u32 listeners;			/* how many radios have listens set */
	struct al_sniffer *sniffer;	/* NULL if there is none */
};

/* The last byte is the one in which addresses differ most. */
static inline u32 al_address_hash(const u8 *address)
{
	return address[5];
}

struct al_medium *al_medium_create(u32 id, const struct al_band *band,
				   u64 seed);
void al_medium_destroy(struct al_medium *medium);
void al_medium_schedule(struct al_medium *medium, u64 at_ns);
u32 al_medium_random(struct al_medium *medium, u32 below);

#endif /* AIRLINK_MEDIUM_H */
