// SPDX-License-Identifier: GPL-2.0
/*
 * The frames of a softmac device, from mac80211 to the core. Where they wait is up to
 * the kind of device:
 *
 *	pull	They stay in mac80211's TXQs until a PPDU is formed of them, and
 *		mac80211 says whose turn it is. (ath9k)
 *	push	They move into the device as far as it has room, and as far as
 *		mac80211's airtime limits go (AQL, which drivers had before
 *		v5.5 did not know; profile.aql); the device sorts them by
 *		receiver and aggregates by itself, without mac80211's sessions.
 *		(ath10k)
 *	drain	They move into the device at once. When it is full the queues of
 *		mac80211 are stopped. (ath9k_htc, and most others)
 *
 * Frames that do not go through a TXQ (management frames, beacons, multicast after a
 * DTIM, frames that waited for a sleeping station) go to the device at once, into
 * the queue of the receiver and traffic class; AL_TID_NONE if they have none.
 *
 * With pull, a queue that belongs to a TXQ takes its turn with the TXQs. The other
 * queues of the device go first. So frames that have to be sent again do not get
 * ahead of other stations.
 */

#include "radio/aggregate.h"
#include "softmac/softmac.h"
#include "softmac/tx.h"

u32 al_softmac_mpdu_bytes(const struct al_queue *queue,
			  const struct sk_buff *skb)
{
	return skb->len + FCS_LEN;
}

/* Returns the queue for frames to @address, NULL if there is no memory. Caller holds
 * the lock.
 */
struct al_queue *al_softmac_queue_to(struct al_softmac *softmac,
				     const u8 *address, u8 tid)
{
	struct al_radio *radio = softmac->radio, *to;
	struct al_link *link;

	if (is_multicast_ether_addr(address)) {
		link = al_link_get_multicast(radio);
	} else {
		to = al_radio_by_address(radio->medium, address);
		link = to ? al_link_get(radio, to) : al_link_get_nobody(radio);
	}
	return link ? al_link_queue(link, tid) : NULL;
}

/* Firmware (push) makes block ack agreements by itself, with stations that can. */
static void softmac_settle_session(struct al_softmac *softmac,
				   struct al_queue *queue,
				   const struct ieee80211_sta *sta)
{
	if (al_softmac_queueing(softmac) != AL_PUSH)
		return;
	queue->session = sta->wme && sta->deflink.ht_cap.ht_supported &&
			 queue->link->to;
	queue->reorders = queue->session;
	queue->window_frames = sta->deflink.he_cap.has_he ?
			       0 : IEEE80211_MAX_AMPDU_BUF_HT;
}

/* Returns the queue for the frames of @txq; NULL if nothing may be sent to its
 * station, or if there is no memory.
 */
static struct al_queue *softmac_queue_of_txq(struct al_softmac *softmac,
					     struct ieee80211_txq *txq)
{
	struct ieee80211_sta *sta = txq->sta;
	struct al_queue *queue;
	struct al_link *link;

	if (!sta) {
		link = al_link_get_multicast(softmac->radio);
		queue = link ? al_link_queue(link, 0) : NULL;
	} else if (al_softmac_sta_of(sta)->known) {
		queue = al_softmac_queue_to(softmac, sta->addr, txq->tid & 7);
		if (queue)
			softmac_settle_session(softmac, queue, sta);
	} else {
		return NULL;
	}
	if (queue)
		queue->txq = txq;
	return queue;
}

struct sk_buff *al_softmac_pull(struct al_queue *queue)
{
	struct al_softmac *softmac = queue->link->from->front;
	struct sk_buff *skb;

	if (!queue->txq)
		return NULL;
	rcu_read_lock();
	skb = ieee80211_tx_dequeue(softmac->hw, queue->txq);
	rcu_read_unlock();
	return skb;
}

static bool softmac_sleeps(const struct ieee80211_txq *txq)
{
	return txq->sta && al_softmac_sta_of(txq->sta)->asleep;
}

/* @queue has frames to be sent again. If it belongs to a TXQ it goes from
 * edcaf->backlog to the TXQs' turns.
 */
void al_softmac_requeue(struct al_queue *queue)
{
	struct al_softmac *softmac = queue->link->from->front;
	struct ieee80211_txq *txq = queue->txq;

	if (!txq)
		return;
	list_del_init(&queue->node);
	if (!softmac_sleeps(txq))
		ieee80211_schedule_txq(softmac->hw, txq);
}

/* Gives each TXQ one turn. Returns whether another round may form more. */
static bool softmac_fill_round(struct al_softmac *softmac,
			       struct al_edcaf *edcaf)
{
	struct ieee80211_hw *hw = softmac->hw;
	struct ieee80211_txq *txq;
	struct al_queue *queue;
	bool formed = false, full = false;

	ieee80211_txq_schedule_start(hw, edcaf->ac);
	while (!full && (txq = ieee80211_next_txq(hw, edcaf->ac))) {
		queue = softmac_queue_of_txq(softmac, txq);
		if (queue) {
			full = !al_aggregate_has_room(edcaf, queue);
			formed |= !full && al_aggregate_form(edcaf, queue);
		}
		ieee80211_return_txq(hw, txq, queue && al_queue_waits(queue));
	}
	ieee80211_txq_schedule_end(hw, edcaf->ac);
	return formed && !full;
}

void al_softmac_form_ppdus(struct al_edcaf *edcaf)
{
	const struct al_profile *profile = &edcaf->radio->profile;
	struct al_softmac *softmac = edcaf->radio->front;
	struct al_queue *queue, *next;

	list_for_each_entry_safe(queue, next, &edcaf->backlog, node)
		al_softmac_requeue(queue);
	al_aggregate_fill_in_turn(edcaf);
	if (edcaf->aggregates >= profile->aggregates_ahead &&
	    edcaf->singles >= profile->singles_ahead)
		return;
	rcu_read_lock();
	while (softmac_fill_round(softmac, edcaf))
		;
	rcu_read_unlock();
}

/* Control frames, probes of rate control, and all that is not QoS data go alone. */
bool al_softmac_sends_alone(struct al_queue *queue, struct sk_buff *skb)
{
	const struct ieee80211_hdr *header = (const void *)skb->data;

	return !ieee80211_is_data_qos(header->frame_control) ||
	       !ieee80211_is_data_present(header->frame_control) ||
	       (IEEE80211_SKB_CB(skb)->flags &
		IEEE80211_TX_CTL_RATE_CTRL_PROBE);
}

/* mac80211 counts its frames until they come back: for AQL, and for the sockets that
 * want to know whether a frame was acknowledged.
 */
void al_softmac_drop(struct al_radio *radio, struct sk_buff *skb)
{
	struct al_softmac *softmac = radio->front;

	ieee80211_free_txskb(softmac->hw, skb);
}

/* Takes @skb. Caller holds the lock. */
void al_softmac_send(struct al_softmac *softmac, struct al_queue *queue,
		     struct sk_buff *skb)
{
	bool full;

	if (unlikely(!queue || !softmac->radio->up)) {
		softmac->radio->stats.frames_dropped++;
		ieee80211_free_txskb(softmac->hw, skb);
		return;
	}
	full = al_host_send(queue, skb, ktime_get_ns());
	if (full && al_softmac_queueing(softmac) == AL_DRAIN)
		ieee80211_stop_queues(softmac->hw);
}

/* Sends a multicast frame, not in the turn of a TXQ but as management frames go. */
void al_softmac_send_to_all(struct al_softmac *softmac, struct sk_buff *skb)
{
	struct al_link *link = al_link_get_multicast(softmac->radio);

	al_softmac_send(softmac,
			link ? al_link_queue(link, AL_TID_NONE) : NULL, skb);
}

static u8 softmac_tid(struct sk_buff *skb)
{
	const struct ieee80211_hdr *header = (const void *)skb->data;
	const struct ieee80211_bar *request = (const void *)skb->data;

	/* NO_PS_BUFFER: it is for a sleeping station, whose queues stand still. */
	if (is_multicast_ether_addr(header->addr1) ||
	    IEEE80211_SKB_CB(skb)->flags & IEEE80211_TX_CTL_NO_PS_BUFFER)
		return AL_TID_NONE;
	/* A monitor may inject one that is cut behind its addresses. */
	if (ieee80211_is_back_req(header->frame_control) &&
	    skb->len >= offsetofend(struct ieee80211_bar, control))
		return (le16_to_cpu(request->control) >> 12) & 7;
	if (ieee80211_is_data(header->frame_control))
		return skb->priority & 7;
	return AL_TID_NONE;
}

void al_softmac_tx(struct ieee80211_hw *hw,
		   struct ieee80211_tx_control *control, struct sk_buff *skb)
{
	const struct ieee80211_hdr *header = (const void *)skb->data;
	struct al_softmac *softmac = hw->priv;
	struct al_medium *medium = softmac->radio->medium;
	struct al_queue *queue;

	spin_lock_bh(&medium->lock);
	queue = al_softmac_queue_to(softmac, header->addr1, softmac_tid(skb));
	al_softmac_send(softmac, queue, skb);
	spin_unlock_bh(&medium->lock);
}

/* Moves frames of @txq into the device, as many as it takes. */
static void softmac_push_txq(struct al_softmac *softmac,
			     struct ieee80211_txq *txq)
{
	const struct al_host *host = &softmac->radio->host;
	struct al_queue *queue = softmac_queue_of_txq(softmac, txq);
	struct sk_buff *skb;

	while (queue && !host->stopped &&
	       (skb = ieee80211_tx_dequeue(softmac->hw, txq)))
		al_softmac_send(softmac, queue, skb);
}

static void softmac_push_ac(struct al_softmac *softmac, u8 ac)
{
	const struct al_host *host = &softmac->radio->host;
	struct ieee80211_hw *hw = softmac->hw;
	struct ieee80211_txq *txq;

	rcu_read_lock();
	ieee80211_txq_schedule_start(hw, ac);
	while (!host->stopped && (txq = ieee80211_next_txq(hw, ac))) {
		softmac_push_txq(softmac, txq);
		ieee80211_return_txq(hw, txq, false);
	}
	ieee80211_txq_schedule_end(hw, ac);
	rcu_read_unlock();
}

void al_softmac_wake_tx_queue(struct ieee80211_hw *hw,
			      struct ieee80211_txq *txq)
{
	struct al_softmac *softmac = hw->priv;
	struct al_radio *radio = softmac->radio;

	spin_lock_bh(&radio->medium->lock);
	if (al_softmac_queueing(softmac) != AL_PULL)
		softmac_push_ac(softmac, txq->ac);
	else if (radio->host.refill_ns == AL_NEVER_NS)
		al_aggregate_fill(&radio->edcaf[txq->ac]);
	spin_unlock_bh(&radio->medium->lock);
}

/* Reports have made room below the device's limit, or below AQL's. */
void al_softmac_reports_done(struct al_radio *radio)
{
	u8 ac;

	spin_lock_bh(&radio->medium->lock);
	for (ac = 0; ac < AL_ACS; ac++)
		if (radio->host.frames < radio->profile.resume_frames)
			softmac_push_ac(radio->front, ac);
	spin_unlock_bh(&radio->medium->lock);
}

void al_softmac_resume(struct al_radio *radio)
{
	struct al_softmac *softmac = radio->front;

	if (al_softmac_queueing(softmac) == AL_DRAIN)
		ieee80211_wake_queues(softmac->hw);
}
