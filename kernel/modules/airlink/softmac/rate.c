// SPDX-License-Identifier: GPL-2.0
/*
 * Rates: mac80211's rate control chooses, the core sends, mac80211 gets a report.
 *
 * mac80211's rate control has no HE. An HE radio sends at rates of VHT and HT, which
 * it chooses, unless the rate of a link is fixed; see struct al_link.
 */

#include "softmac/caps.h"
#include "softmac/rate.h"
#include "softmac/softmac.h"

static u8 softmac_width_from_flags(u16 flags)
{
	if (flags & IEEE80211_TX_RC_160_MHZ_WIDTH)
		return 160;
	if (flags & IEEE80211_TX_RC_80_MHZ_WIDTH)
		return 80;
	return flags & IEEE80211_TX_RC_40_MHZ_WIDTH ? 40 : 20;
}

static u16 softmac_width_to_flag(u8 width_mhz)
{
	switch (width_mhz) {
	case 40:
		return IEEE80211_TX_RC_40_MHZ_WIDTH;
	case 80:
		return IEEE80211_TX_RC_80_MHZ_WIDTH;
	case 160:
		return IEEE80211_TX_RC_160_MHZ_WIDTH;
	default:
		return 0;
	}
}

static enum rate_info_bw softmac_width_to_info(u8 width_mhz)
{
	switch (width_mhz) {
	case 40:
		return RATE_INFO_BW_40;
	case 80:
		return RATE_INFO_BW_80;
	case 160:
		return RATE_INFO_BW_160;
	default:
		return RATE_INFO_BW_20;
	}
}

static u8 softmac_first_legacy(u8 band)
{
	return band == NL80211_BAND_2GHZ ? AL_CCK_RATES : 0;
}

/* Returns mac80211's rate as one of the core's; the lowest for those of CCK, which a
 * medium does not have.
 */
static struct al_rate softmac_rate_from_tx(const struct ieee80211_tx_rate *from,
					   u8 band)
{
	struct al_rate rate = al_rate_lowest;

	if (from->flags & IEEE80211_TX_RC_VHT_MCS) {
		rate.phy = AL_PHY_VHT;
		rate.mcs = ieee80211_rate_get_vht_mcs(from);
		rate.streams = ieee80211_rate_get_vht_nss(from);
	} else if (from->flags & IEEE80211_TX_RC_MCS) {
		rate.phy = AL_PHY_HT;
		rate.mcs = from->idx % 8;
		rate.streams = from->idx / 8 + 1;
	} else {
		rate.mcs = max(from->idx - softmac_first_legacy(band), 0);
	}
	if (rate.phy != AL_PHY_LEGACY) {
		rate.width_mhz = softmac_width_from_flags(from->flags);
		if (from->flags & IEEE80211_TX_RC_SHORT_GI)
			rate.gi_ns = 400;
	}
	return al_rate_valid(&rate) ? rate : al_rate_lowest;
}

/* Returns the station that rate control has rates for, or NULL: it has them for
 * unicast data only.
 */
static struct ieee80211_sta *softmac_rate_sta(const struct al_queue *queue,
					      const struct sk_buff *skb)
{
	const struct al_softmac *softmac = queue->link->from->front;
	const struct ieee80211_hdr *header = (const void *)skb->data;
	const struct ieee80211_txq *txq = queue->txq;

	if (!ieee80211_is_data(header->frame_control) ||
	    is_multicast_ether_addr(header->addr1))
		return NULL;
	if (txq)
		return txq->sta;
	return ieee80211_find_sta_by_ifaddr(softmac->hw, header->addr1, NULL);
}

int al_softmac_choose_rates(struct al_queue *queue, struct sk_buff *skb,
			    struct al_rate_stage *stages)
{
	struct ieee80211_tx_info *info = IEEE80211_SKB_CB(skb);
	struct ieee80211_tx_rate rates[AL_RATE_STAGES];
	int count;

	BUILD_BUG_ON(AL_RATE_STAGES > IEEE80211_TX_MAX_RATES);
	rcu_read_lock();
	ieee80211_get_tx_rates(info->control.vif, softmac_rate_sta(queue, skb),
			       skb, rates, ARRAY_SIZE(rates));
	rcu_read_unlock();
	for (count = 0; count < AL_RATE_STAGES; count++) {
		const struct ieee80211_tx_rate *rate = &rates[count];

		if (rate->idx < 0 || !rate->count)
			break;
		stages[count].rate = softmac_rate_from_tx(rate, info->band);
		stages[count].tries = rate->count;
		stages[count].rts = rate->flags & IEEE80211_TX_RC_USE_RTS_CTS;
	}
	return count;
}

/* Returns whether struct ieee80211_tx_rate can say it, which it cannot of HE. */
bool al_softmac_rate_to_tx(const struct al_rate_stage *stage, u8 band,
			   struct ieee80211_tx_rate *to)
{
	const struct al_rate *rate = &stage->rate;

	*to = (struct ieee80211_tx_rate) { .idx = -1 };
	switch (rate->phy) {
	case AL_PHY_LEGACY:
		to->idx = softmac_first_legacy(band) + rate->mcs;
		break;
	case AL_PHY_HT:
		to->idx = 8 * (rate->streams - 1) + rate->mcs;
		to->flags = IEEE80211_TX_RC_MCS;
		break;
	case AL_PHY_VHT:
		ieee80211_rate_set_vht(to, rate->mcs, rate->streams);
		to->flags = IEEE80211_TX_RC_VHT_MCS;
		break;
	default:
		return false;
	}
	to->flags |= softmac_width_to_flag(rate->width_mhz);
	if (rate->gi_ns == 400)
		to->flags |= IEEE80211_TX_RC_SHORT_GI;
	if (stage->rts)
		to->flags |= IEEE80211_TX_RC_USE_RTS_CTS;
	return true;
}

static u8 softmac_he_gi(u16 gi_ns)
{
	if (gi_ns == 3200)
		return NL80211_RATE_INFO_HE_GI_3_2;
	return gi_ns == 1600 ? NL80211_RATE_INFO_HE_GI_1_6 :
			       NL80211_RATE_INFO_HE_GI_0_8;
}

/* @rate is one of HE. */
void al_softmac_rate_to_info(const struct al_rate *rate,
			     struct rate_info *info)
{
	*info = (struct rate_info) {
		.flags = RATE_INFO_FLAGS_HE_MCS,
		.mcs = rate->mcs,
		.nss = rate->streams,
		.bw = softmac_width_to_info(rate->width_mhz),
		.he_gi = softmac_he_gi(rate->gi_ns),
	};
}

/* status->band must be set. */
void al_softmac_rate_to_rx(const struct al_rate *rate,
			   struct ieee80211_rx_status *status)
{
	status->rate_idx = rate->mcs;
	status->nss = rate->streams;
	status->bw = softmac_width_to_info(rate->width_mhz);
	if (rate->gi_ns == 400)
		status->enc_flags |= RX_ENC_FLAG_SHORT_GI;
	switch (rate->phy) {
	case AL_PHY_LEGACY:
		status->rate_idx += softmac_first_legacy(status->band);
		break;
	case AL_PHY_HT:
		status->encoding = RX_ENC_HT;
		status->rate_idx += 8 * (rate->streams - 1);
		break;
	case AL_PHY_VHT:
		status->encoding = RX_ENC_VHT;
		break;
	default:
		status->encoding = RX_ENC_HE;
		status->he_gi = softmac_he_gi(rate->gi_ns);
		break;
	}
}
