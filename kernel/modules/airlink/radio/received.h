/* SPDX-License-Identifier: GPL-2.0 */
/* A received frame on its way up to the host. */
#ifndef AIRLINK_RECEIVED_H
#define AIRLINK_RECEIVED_H

#include <linux/build_bug.h>
#include <linux/skbuff.h>

#include "air/phy.h"

/* What a receiver knows of a frame beside its bytes. It lies in skb->cb until the
 * front end takes the frame up.
 */
struct al_received {
	struct al_rate rate;
	u16 mhz;		/* the channel that the sender's host has set */
	u32 reference;		/* the number of its A-MPDU */
	s16 snr_cdb;
	u8 tid;
	bool aggregated;	/* it was in an A-MPDU */
	u64 at_ns;		/* the end of its PPDU */
	u32 airtime_ns;		/* its share of the PPDU's time on the air */
	u32 seq;		/* valid in a reorder buffer only */
};

static inline struct al_received *al_received(struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct al_received) > sizeof(skb->cb));
	return (struct al_received *)skb->cb;
}

#endif /* AIRLINK_RECEIVED_H */
