/* SPDX-License-Identifier: GPL-2.0 */
/* The rates of mac80211 and those of the core, into each other; see rate.c. */
#ifndef AIRLINK_SOFTMAC_RATE_H
#define AIRLINK_SOFTMAC_RATE_H

#include <linux/types.h>

struct al_queue;
struct al_rate;
struct al_rate_stage;
struct ieee80211_rx_status;
struct ieee80211_tx_rate;
struct rate_info;
struct sk_buff;

int al_softmac_choose_rates(struct al_queue *queue, struct sk_buff *skb,
			    struct al_rate_stage *stages);
bool al_softmac_rate_to_tx(const struct al_rate_stage *stage, u8 band,
			   struct ieee80211_tx_rate *rate);
void al_softmac_rate_to_info(const struct al_rate *rate,
			     struct rate_info *info);
void al_softmac_rate_to_rx(const struct al_rate *rate,
			   struct ieee80211_rx_status *status);

#endif /* AIRLINK_SOFTMAC_RATE_H */
