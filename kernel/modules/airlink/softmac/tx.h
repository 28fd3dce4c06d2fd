/* SPDX-License-Identifier: GPL-2.0 */
/* The frames of a softmac device, from mac80211 to the core; see tx.c. */
#ifndef AIRLINK_SOFTMAC_TX_H
#define AIRLINK_SOFTMAC_TX_H

#include <linux/types.h>

struct al_edcaf;
struct al_queue;
struct al_radio;
struct al_softmac;
struct ieee80211_hw;
struct ieee80211_sta;
struct ieee80211_tx_control;
struct ieee80211_txq;
struct sk_buff;

/* Callbacks for mac80211. */
void al_softmac_tx(struct ieee80211_hw *hw,
		   struct ieee80211_tx_control *control, struct sk_buff *skb);
void al_softmac_wake_tx_queue(struct ieee80211_hw *hw,
			      struct ieee80211_txq *txq);

/* Callbacks for the core; struct al_front_ops says what they do. */
u32 al_softmac_mpdu_bytes(const struct al_queue *queue,
			  const struct sk_buff *skb);
struct sk_buff *al_softmac_pull(struct al_queue *queue);
void al_softmac_form_ppdus(struct al_edcaf *edcaf);
void al_softmac_requeue(struct al_queue *queue);
void al_softmac_drop(struct al_radio *radio, struct sk_buff *skb);
bool al_softmac_sends_alone(struct al_queue *queue, struct sk_buff *skb);
void al_softmac_reports_done(struct al_radio *radio);
void al_softmac_resume(struct al_radio *radio);

/* Helpers, called with the medium's lock held. */
struct al_queue *al_softmac_queue_to(struct al_softmac *softmac,
				     const u8 *address, u8 tid);
void al_softmac_send(struct al_softmac *softmac, struct al_queue *queue,
		     struct sk_buff *skb);
void al_softmac_send_to_all(struct al_softmac *softmac, struct sk_buff *skb);

#endif /* AIRLINK_SOFTMAC_TX_H */
