/* SPDX-License-Identifier: GPL-2.0 */
/* The capabilities of a mac80211 device; see caps.c. */
#ifndef AIRLINK_SOFTMAC_CAPS_H
#define AIRLINK_SOFTMAC_CAPS_H

#include <linux/types.h>

struct al_band;
struct al_rate;
struct al_softmac_bands;
struct ieee80211_hw;

/* How many rates of CCK stand before those of OFDM in a table of bit rates. */
#define AL_CCK_RATES	4

struct al_softmac_bands *al_softmac_bands_create(const struct al_band *band,
						 const struct al_rate *best);
void al_softmac_bands_apply(struct al_softmac_bands *bands,
			    struct ieee80211_hw *hw);
int al_softmac_set_regulatory(struct ieee80211_hw *hw);

#endif /* AIRLINK_SOFTMAC_CAPS_H */
