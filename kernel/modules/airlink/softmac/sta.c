// SPDX-License-Identifier: GPL-2.0
/*
 * Stations: their life, block ack, power save.
 *
 * Block ack. mac80211 makes agreements when its rate control wants them, with real
 * ADDBA frames; the core aggregates as long as there is an agreement. At the
 * receiver mac80211 reorders. Devices that aggregate by themselves refuse.
 *
 * Power save. The frames of a station that sleeps stay where they are, but for those
 * already in a PPDU. Its queues stand still, so frames that are released to it
 * (PS-Poll, U-APSD) go through the queue of those without a traffic class.
 */

#include "radio/aggregate.h"
#include "softmac/softmac.h"
#include "softmac/sta.h"
#include "softmac/tx.h"

/* The frames that wait for @sta on @link are lost. */
static void softmac_forget_on(struct al_link *link, struct ieee80211_sta *sta)
{
	const struct ieee80211_txq *txq;
	struct al_queue *queue;
	u8 tid;

	for (tid = 0; tid < AL_TIDS; tid++) {
		queue = link->queues[tid];
		txq = queue ? queue->txq : NULL;
		if (!txq || txq->sta != sta)
			continue;
		queue->txq = NULL;
		queue->session = false;
		queue->window_frames = 0;
		al_queue_flush(queue);
	}
}

static void softmac_forget_sta(struct al_softmac *softmac,
			       struct ieee80211_sta *sta)
{
	struct al_radio *radio = softmac->radio;
	unsigned int index;

	for_each_set_bit(index, radio->medium->indices, AL_RADIOS_MAX)
		if (radio->link_to[index])
			softmac_forget_on(radio->link_to[index], sta);
	if (radio->link_to_nobody)
		softmac_forget_on(radio->link_to_nobody, sta);
}

int al_softmac_sta_state(struct ieee80211_hw *hw, struct ieee80211_vif *vif,
			 struct ieee80211_sta *sta,
			 enum ieee80211_sta_state from,
			 enum ieee80211_sta_state to)
{
	struct al_softmac *softmac = hw->priv;
	struct al_medium *medium = softmac->radio->medium;

	spin_lock_bh(&medium->lock);
	al_softmac_sta_of(sta)->known = to != IEEE80211_STA_NOTEXIST;
	if (to == IEEE80211_STA_NOTEXIST)
		softmac_forget_sta(softmac, sta);
	spin_unlock_bh(&medium->lock);
	return 0;
}

/* The queues of a station that has woken up go on with what they had. */
static void softmac_wake_sta(struct al_softmac *softmac,
			     struct ieee80211_sta *sta)
{
	struct al_radio *radio = softmac->radio;
	struct al_queue *queue;
	u8 tid;

	for (tid = 0; tid < AL_TIDS - 1; tid++) {
		queue = al_softmac_queue_to(softmac, sta->addr, tid);
		if (!queue || !al_queue_waits(queue))
			continue;
		al_softmac_requeue(queue);
		if (radio->host.refill_ns == AL_NEVER_NS)
			al_aggregate_fill(queue->edcaf);
	}
}

void al_softmac_sta_notify(struct ieee80211_hw *hw, struct ieee80211_vif *vif,
			   enum sta_notify_cmd command,
			   struct ieee80211_sta *sta)
{
	struct al_softmac *softmac = hw->priv;
	struct al_medium *medium = softmac->radio->medium;

	spin_lock_bh(&medium->lock);
	al_softmac_sta_of(sta)->asleep = command == STA_NOTIFY_SLEEP;
	if (command == STA_NOTIFY_AWAKE &&
	    al_softmac_queueing(softmac) == AL_PULL)
		softmac_wake_sta(softmac, sta);
	spin_unlock_bh(&medium->lock);
}

/* Returns a frame for @sta that waits in mac80211, or NULL. */
static struct sk_buff *softmac_take_frame(struct al_softmac *softmac,
					  struct ieee80211_sta *sta,
					  unsigned long tids)
{
	struct sk_buff *skb;
	int tid;

	for_each_set_bit(tid, &tids, 8) {
		skb = ieee80211_tx_dequeue(softmac->hw, sta->txq[tid]);
		if (skb)
			return skb;
	}
	return NULL;
}

/* Sends up to @frames to a sleeping station. The last ends the service period. */
void al_softmac_release(struct ieee80211_hw *hw, struct ieee80211_sta *sta,
			u16 tids, int frames,
			enum ieee80211_frame_release_type reason,
			bool more_data)
{
	struct al_softmac *softmac = hw->priv;
	struct al_medium *medium = softmac->radio->medium;
	struct sk_buff *skb, *next;
	struct al_queue *queue;

	spin_lock_bh(&medium->lock);
	queue = al_softmac_queue_to(softmac, sta->addr, AL_TID_NONE);
	skb = softmac_take_frame(softmac, sta, tids);
	while (skb) {
		struct ieee80211_hdr *header = (void *)skb->data;

		next = --frames > 0 ? softmac_take_frame(softmac, sta, tids) :
				      NULL;
		if (next || more_data)
			header->frame_control |=
				cpu_to_le16(IEEE80211_FCTL_MOREDATA);
		if (!next)
			IEEE80211_SKB_CB(skb)->flags |=
				IEEE80211_TX_STATUS_EOSP;
		al_softmac_send(softmac, queue, skb);
		skb = next;
	}
	spin_unlock_bh(&medium->lock);
}

static void softmac_set_session(struct al_softmac *softmac,
				const struct ieee80211_ampdu_params *params,
				bool on)
{
	struct al_medium *medium = softmac->radio->medium;
	struct al_queue *queue;

	spin_lock_bh(&medium->lock);
	queue = al_softmac_queue_to(softmac, params->sta->addr,
				    params->tid & 7);
	if (queue) {
		queue->session = on;
		queue->window_frames = on ? params->buf_size : 0;
	}
	spin_unlock_bh(&medium->lock);
}

int al_softmac_ampdu(struct ieee80211_hw *hw, struct ieee80211_vif *vif,
		     struct ieee80211_ampdu_params *params)
{
	struct al_softmac *softmac = hw->priv;

	switch (params->action) {
	case IEEE80211_AMPDU_RX_START:
	case IEEE80211_AMPDU_RX_STOP:
		return 0;
	case IEEE80211_AMPDU_TX_START:
		if (al_softmac_queueing(softmac) == AL_PUSH)
			return -EOPNOTSUPP;
		return IEEE80211_AMPDU_TX_START_IMMEDIATE;
	case IEEE80211_AMPDU_TX_OPERATIONAL:
		softmac_set_session(softmac, params, true);
		return 0;
	case IEEE80211_AMPDU_TX_STOP_CONT:
	case IEEE80211_AMPDU_TX_STOP_FLUSH:
	case IEEE80211_AMPDU_TX_STOP_FLUSH_CONT:
		softmac_set_session(softmac, params, false);
		ieee80211_stop_tx_ba_cb_irqsafe(vif, params->sta->addr,
						params->tid);
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}
