/* SPDX-License-Identifier: GPL-2.0 */
/* What a radio counts, from its creation on. Guarded by the medium's lock. */
#ifndef AIRLINK_STATS_H
#define AIRLINK_STATS_H

#include <linux/types.h>

#include "radio/profile.h"

struct al_stats {
	u64 ppdus;		/* PPDUs with data that it sent; each try counts */
	u64 ppdus_failed;	/* tries that nobody answered */
	u64 subframes;		/* MPDUs in ppdus; each try counts */
	u64 frames_acked;
	u64 frames_retried;	/* frames put back, to go in a later PPDU */
	u64 frames_dropped;	/* out of tries, without a receiver or memory */
	u64 bytes_acked;	/* bytes of the MSDUs in frames_acked */
	u64 frames_received;
	u64 rts;		/* RTS frames that it sent */
	u64 tx_ns;		/* the time that it was on the air itself */
	u64 busy_ns;		/* the time that it sensed a busy medium, or
				 * was on the air
				 */
	u64 subframes_of[AL_SUBFRAMES_MAX];	/* [n - 1]: PPDUs of n frames */
};

#endif /* AIRLINK_STATS_H */
