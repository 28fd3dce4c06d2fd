// SPDX-License-Identifier: GPL-2.0
/*
 * What has become of a frame. Each is reported, at the rates and with the tries of
 * the last PPDU that it was in. The first frame of an A-MPDU to be reported tells
 * mac80211's rate control how many subframes there were and how many of them got
 * through, and its airtime is charged to the station. As with ath9k, rate control
 * does not learn of a PPDU of which all frames go out again, but the station is
 * charged its airtime.
 *
 * When frames of a session are given up a BlockAckReq lets the receiver pass up
 * what came after them.
 */

#include "radio/queue.h"
#include "softmac/rate.h"
#include "softmac/softmac.h"
#include "softmac/status.h"
#include "softmac/tx.h"

struct status {
	struct ieee80211_tx_status of;
	struct ieee80211_rate_status rates[AL_RATE_STAGES];
};

/* Sets the tries at each rate: in mac80211's array, and if that cannot say them all
 * in a list of its own, too.
 */
static void softmac_set_status_rates(struct status *status,
				     const struct al_sent *sent)
{
	struct ieee80211_tx_info *info = status->of.info;
	struct ieee80211_tx_rate *rates = info->status.rates;
	bool listed = false;
	int index;

	for (index = 0; index < IEEE80211_TX_MAX_RATES; index++)
		rates[index].idx = -1;
	for (index = 0; index < sent->stages_used; index++) {
		const struct al_rate_stage *stage = &sent->stages[index];
		u8 tries = index + 1 < sent->stages_used ? stage->tries :
							sent->last_tries;

		if (!al_softmac_rate_to_tx(stage, info->band, &rates[index]))
			listed = true;
		rates[index].count = tries;
		al_softmac_rate_to_info(&stage->rate,
					&status->rates[index].rate_idx);
		status->rates[index].try_count = tries;
	}
	if (listed) {
		status->of.rates = status->rates;
		status->of.n_rates = sent->stages_used;
	}
}

static void softmac_set_status_flags(struct ieee80211_tx_info *info,
				     const struct al_sent *sent)
{
	if (sent->acked)
		info->flags |= IEEE80211_TX_STAT_ACK;
	else if (info->flags & IEEE80211_TX_CTL_NO_ACK)
		info->flags |= IEEE80211_TX_STAT_NOACK_TRANSMITTED;
	if (sent->aggregated)	/* maybe by firmware */
		info->flags |= IEEE80211_TX_CTL_AMPDU;
	if (!(info->flags & IEEE80211_TX_CTL_AMPDU) || !sent->subframes)
		return;
	info->flags |= IEEE80211_TX_STAT_AMPDU;
	info->status.ampdu_len = min_t(u16, sent->subframes, U8_MAX);
	info->status.ampdu_ack_len = min_t(u16, sent->subframes_acked, U8_MAX);
}

static void softmac_charge_airtime(struct ieee80211_sta *sta,
				   struct sk_buff *skb,
				   const struct al_sent *sent)
{
	if (sta && sent->airtime_ns)
		ieee80211_sta_register_airtime(sta, skb->priority & 7,
					       sent->airtime_ns / 1000, 0);
}

/* Tells the receiver not to wait for @skb, nor for frames before it. */
static void softmac_send_bar(struct ieee80211_sta *sta, struct sk_buff *skb)
{
	const struct ieee80211_hdr *header = (const void *)skb->data;
	u16 sn = IEEE80211_SEQ_TO_SN(le16_to_cpu(header->seq_ctrl));
	const struct ieee80211_txq *txq;
	u8 tid;

	if (!ieee80211_is_data_qos(header->frame_control))
		return;
	tid = ieee80211_get_tid((struct ieee80211_hdr *)header);
	txq = sta->txq[tid & 7];
	if (txq)
		ieee80211_send_bar(txq->vif, sta->addr, tid,
				   IEEE80211_SN_TO_SEQ(ieee80211_sn_inc(sn)));
}

/* Returns the station that @skb was for, or NULL. A CTS or an ACK, which a monitor may
 * inject, does not say whom it is from.
 */
static struct ieee80211_sta *softmac_status_sta(struct al_softmac *softmac,
						const struct sk_buff *skb)
{
	const struct ieee80211_hdr *header = (const void *)skb->data;

	if (skb->len < offsetofend(struct ieee80211_hdr, addr2))
		return NULL;
	return ieee80211_find_sta_by_ifaddr(softmac->hw, header->addr1,
					    header->addr2);
}

static void softmac_report_skb(struct al_softmac *softmac, struct sk_buff *skb,
			       const struct al_sent *sent)
{
	struct status status = {
		.of = { .skb = skb, .info = IEEE80211_SKB_CB(skb) },
	};
	struct ieee80211_sta *sta;
	bool lost;

	rcu_read_lock();
	sta = softmac_status_sta(softmac, skb);
	status.of.sta = sta;
	softmac_charge_airtime(sta, skb, sent);
	lost = sta && sent->ends_loss &&
	       al_softmac_queueing(softmac) != AL_PUSH;
	if (lost)
		softmac_send_bar(sta, skb);
	ieee80211_tx_info_clear_status(status.of.info);
	softmac_set_status_rates(&status, sent);
	softmac_set_status_flags(status.of.info, sent);
	ieee80211_tx_status_ext(softmac->hw, &status.of);
	rcu_read_unlock();
}

void al_softmac_report(struct al_radio *radio, struct al_mpdu *mpdu,
		       int budget)
{
	struct al_softmac *softmac = radio->front;
	struct sk_buff *skb, *next;

	skb_list_walk_safe(mpdu->skbs, skb, next) {
		skb_mark_not_on_list(skb);
		if (softmac->registered)
			softmac_report_skb(softmac, skb, &mpdu->sent);
		else
			al_softmac_drop(radio, skb);
		/* Only the first MSDU tells of the PPDU. */
		mpdu->sent.subframes = 0;
		mpdu->sent.airtime_ns = 0;
	}
	al_mpdu_free(mpdu);
}
