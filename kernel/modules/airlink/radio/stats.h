/* SPDX-License-Identifier: GPL-2.0 */
/* What a radio counts, from its creation on. Guarded by the medium's lock. */
#ifndef AIRLINK_STATS_H
#define AIRLINK_STATS_H

#include <linux/types.h>

#include "radio/profile.h"

struct al_stats {
	u64 ppdus;		/* of data, each try */
	u64 ppdus_failed;	/* that nobody answered */
	u64 subframes;		/* in them */
	u64 frames_acked;
	u64 frames_retried;	/* put back, to be sent in a later PPDU */
	u64 frames_dropped;	/* tries exhausted, or no such receiver */
	u64 bytes_acked;	/* of MSDUs */
	u64 frames_received;
	u64 rts;
	u64 tx_ns;		/* on the air itself */
	u64 busy_ns;		/* the medium, as it senses it, itself included */
	u64 subframes_of[AL_SUBFRAMES_MAX];	/* [n - 1]: PPDUs of n */
};

#endif /* AIRLINK_STATS_H */
