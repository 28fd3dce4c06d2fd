/* SPDX-License-Identifier: GPL-2.0 */
/* The clock of a BSS (TSF) and its beacons; see beacon.c. */
#ifndef AIRLINK_SOFTMAC_BEACON_H
#define AIRLINK_SOFTMAC_BEACON_H

#include <linux/types.h>

struct al_softmac;
struct ieee80211_bss_conf;
struct ieee80211_hw;
struct ieee80211_vif;

u64 al_softmac_tsf_us(const struct al_softmac *softmac, u64 at_ns);
u64 al_softmac_get_tsf(struct ieee80211_hw *hw, struct ieee80211_vif *vif);
void al_softmac_set_tsf(struct ieee80211_hw *hw, struct ieee80211_vif *vif,
			u64 tsf_us);
void al_softmac_reset_tsf(struct ieee80211_hw *hw, struct ieee80211_vif *vif);

void al_softmac_beacons_init(struct al_softmac *softmac);
void al_softmac_beacons_start(struct al_softmac *softmac,
			      struct ieee80211_vif *vif, u16 interval_tu);
void al_softmac_beacons_stop(struct al_softmac *softmac);

#endif /* AIRLINK_SOFTMAC_BEACON_H */
