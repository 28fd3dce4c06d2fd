/* SPDX-License-Identifier: GPL-2.0 */
/* From one radio to another: at which rate, and how many frames get lost. */
#ifndef AIRLINK_LINK_H
#define AIRLINK_LINK_H

#include <linux/types.h>

#include "air/error.h"
#include "air/phy.h"
#include "radio/queue.h"

struct al_radio;

#define AL_SNR_NONE	S16_MIN		/* the link is without noise */

struct al_link {
	struct al_radio *from, *to;	/* to NULL: multicast, or ... */
	bool nobody;			/* ... an address that nobody has */
	bool rate_fixed;
	struct al_rate rate;		/* of data, if it is fixed */
	u32 loss;			/* of an MPDU, by itself */
	s16 snr_cdb;			/* 1/100 dB, or AL_SNR_NONE */
	struct al_queue *queues[AL_TIDS];

	/* Since the radio was made. */
	u64 airtime_ns;			/* PPDUs to it, with their responses */
};

struct al_link *al_link_get(struct al_radio *from, struct al_radio *to);
struct al_link *al_link_get_nobody(struct al_radio *from);
struct al_queue *al_link_queue(struct al_link *link, u8 tid);
void al_link_destroy(struct al_link *link);
bool al_link_loses(struct al_link *link, const struct al_rate *rate,
		   u32 bytes);

#endif /* AIRLINK_LINK_H */
