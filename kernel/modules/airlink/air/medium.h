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
	/* Set once. */
	u32 id;
	const struct al_band *band;
	struct hrtimer timer;
	struct list_head all;		/* in the module's list */

	/* Guards all that follows, and the radios. Taken with softirqs off. */
	spinlock_t lock;
	u64 armed_ns;			/* the event that the timer is for */
	struct rnd_state random;
	DECLARE_BITMAP(indices, AL_RADIOS_MAX);
	struct al_radio *radio_at[AL_RADIOS_MAX];
	struct list_head radios;
	struct hlist_head by_address[AL_ADDRESS_BUCKETS];
	struct list_head contenders;	/* al_edcaf with PPDUs ready */
	struct list_head exchanges;	/* al_exchange under way */
	u32 reference;			/* of the last A-MPDU */
	u32 listeners;			/* radios that hand up all they hear */
	struct al_sniffer *sniffer;	/* NULL: nobody listens */
};

/* The last byte is what differs most, and is enough for so few. */
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
