/* SPDX-License-Identifier: GPL-2.0 */
/* The way from one radio to another: its rate and its losses; see link.c. */
#ifndef AIRLINK_LINK_H
#define AIRLINK_LINK_H

#include <linux/types.h>

#include "air/error.h"
#include "air/phy.h"
#include "radio/queue.h"

struct al_radio;

#define AL_SNR_NONE	S16_MIN

enum al_link_kind {
	AL_LINK_UNICAST,	/* to one radio */
	AL_LINK_MULTICAST,	/* to all that hear it; nobody answers */
	AL_LINK_NOBODY,		/* unicast to addresses that no radio has */
};

struct al_link {
	struct al_radio *from;
	struct al_radio *to;	/* of AL_LINK_UNICAST, or else NULL */
	u8 kind;		/* enum al_link_kind */
	bool rate_fixed;	/* data is sent at rate; no rate control */
	struct al_rate rate;
	u32 loss;		/* probability that an MPDU is lost, in 1e-9 */
	s16 snr_cdb;		/* in 1/100 dB; AL_SNR_NONE: no noise */
	struct al_queue *queues[AL_TIDS];
	u64 airtime_ns;		/* all exchanges so far, answers included */
};

struct al_link *al_link_get(struct al_radio *from, struct al_radio *to);
struct al_link *al_link_get_multicast(struct al_radio *from);
struct al_link *al_link_get_nobody(struct al_radio *from);
struct al_queue *al_link_queue(struct al_link *link, u8 tid);
void al_link_destroy(struct al_link *link);
bool al_link_loses(struct al_link *link, const struct al_rate *rate,
		   u32 bytes);

#endif /* AIRLINK_LINK_H */
