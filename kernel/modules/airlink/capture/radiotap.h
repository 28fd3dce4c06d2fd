/* SPDX-License-Identifier: GPL-2.0 */
/* The radiotap header of a captured frame; see radiotap.c. */
#ifndef AIRLINK_RADIOTAP_H
#define AIRLINK_RADIOTAP_H

#include <linux/types.h>

#include "air/phy.h"

#define AL_RADIOTAP_BYTES	48U

/* All MPDUs of a PPDU have the same header, but for a flag in that of the last. */
struct al_radiotap {
	u8 bytes[AL_RADIOTAP_BYTES];
	u32 present;		/* a bit for each field that it has */
	u8 length;
	u8 flags_at;		/* offset of FLAGS in bytes */
	u8 ampdu_flags_at;	/* offset of the flags of AMPDU_STATUS */
	bool bad_fcs;		/* the frames get a wrong FCS */
};

void al_radiotap_begin(struct al_radiotap *tap, const struct al_rate *rate,
		       u16 mhz, u64 start_ns);
void al_radiotap_bad_fcs(struct al_radiotap *tap);
void al_radiotap_ampdu(struct al_radiotap *tap, u32 reference);
void al_radiotap_last(struct al_radiotap *tap);
void al_radiotap_end(struct al_radiotap *tap, const struct al_rate *rate);

#endif /* AIRLINK_RADIOTAP_H */
