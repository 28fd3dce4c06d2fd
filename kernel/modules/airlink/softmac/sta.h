/* SPDX-License-Identifier: GPL-2.0 */
/* The stations that mac80211 knows: their life, block ack, power save; see sta.c. */
#ifndef AIRLINK_SOFTMAC_STA_H
#define AIRLINK_SOFTMAC_STA_H

#include <net/mac80211.h>

int al_softmac_sta_state(struct ieee80211_hw *hw, struct ieee80211_vif *vif,
			 struct ieee80211_sta *sta,
			 enum ieee80211_sta_state from,
			 enum ieee80211_sta_state to);
void al_softmac_sta_notify(struct ieee80211_hw *hw, struct ieee80211_vif *vif,
			   enum sta_notify_cmd command,
			   struct ieee80211_sta *sta);
void al_softmac_release(struct ieee80211_hw *hw, struct ieee80211_sta *sta,
			u16 tids, int frames,
			enum ieee80211_frame_release_type reason,
			bool more_data);
int al_softmac_ampdu(struct ieee80211_hw *hw, struct ieee80211_vif *vif,
		     struct ieee80211_ampdu_params *params);

#endif /* AIRLINK_SOFTMAC_STA_H */
