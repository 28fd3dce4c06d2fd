/* SPDX-License-Identifier: GPL-2.0 */
/* Reports to mac80211 of what has become of a frame; see status.c. */
#ifndef AIRLINK_SOFTMAC_STATUS_H
#define AIRLINK_SOFTMAC_STATUS_H

struct al_mpdu;
struct al_radio;

void al_softmac_report(struct al_radio *radio, struct al_mpdu *mpdu,
		       int budget);

#endif /* AIRLINK_SOFTMAC_STATUS_H */
