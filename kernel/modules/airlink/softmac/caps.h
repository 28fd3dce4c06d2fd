/* SPDX-License-Identifier: GPL-2.0 */
/* What a mac80211 device says that it is capable of; see caps.c. */
#ifndef AIRLINK_SOFTMAC_CAPS_H
#define AIRLINK_SOFTMAC_CAPS_H

#include <linux/types.h>

struct al_band;
struct al_rate;
struct al_softmac_bands;
struct ieee80211_hw;

/* Bit rates in a band's table: CCK, of which we have none, comes first. */
#define AL_CCK_RATES	4

struct al_softmac_bands *al_softmac_bands_create(const struct al_band *band,
						 const struct al_rate *best);
void al_softmac_bands_apply(struct al_softmac_bands *bands,
			    struct ieee80211_hw *hw);
int al_softmac_set_regulatory(struct ieee80211_hw *hw);

#endif /* AIRLINK_SOFTMAC_CAPS_H */
