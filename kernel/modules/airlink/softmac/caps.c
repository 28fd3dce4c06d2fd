// SPDX-License-Identifier: GPL-2.0
/*
 * The capabilities of a mac80211 device: one band, that of its medium, with all of
 * its channels, and HT, VHT and HE as far as the best rate of the radio's
 * configuration goes.
 *
 * The medium is the channel: a radio is on it whatever channel its host sets. The
 * rules of countries do not apply to a radio that radiates nowhere; all channels may
 * be used in all ways, without a regulatory database.
 *
 * A medium has no CCK (802.11b), but mac80211 and hostapd want its rates at 2.4 GHz.
 * So they are in the table; a frame at one of them goes at 6 Mbit/s OFDM, and is
 * reported at that rate.
 */

#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/cfg80211.h>
#include <net/mac80211.h>

#include "air/phy.h"
#include "compat.h"
#include "softmac/caps.h"

#define BIT_RATES	12
#define CHANNELS_MAX	28

struct al_softmac_bands {
	struct ieee80211_supported_band band;
	struct ieee80211_rate bit_rates[BIT_RATES];
	struct ieee80211_channel channels[CHANNELS_MAX];
	struct ieee80211_sband_iftype_data he;
};

/* In units of 100 kbit/s. */
static const u16 softmac_bit_rates[BIT_RATES] = {
	10, 20, 55, 110, 60, 90, 120, 180, 240, 360, 480, 540
};

static const u8 softmac_channels_2ghz[] = {
	1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13
};

static const u8 softmac_channels_5ghz[] = {
	36, 40, 44, 48, 52, 56, 60, 64,
	100, 104, 108, 112, 116, 120, 124, 128, 132, 136, 140, 144,
	149, 153, 157, 161, 165, 169, 173, 177
};

static const struct ieee80211_regdomain softmac_anything_goes = {
	.n_reg_rules = 2,
	.alpha2 = "99",
	.reg_rules = {
		REG_RULE(2402, 2482, 40, 0, 30, 0),
		REG_RULE(5170, 5895, 160, 0, 30, 0),
	},
};

static void softmac_set_bit_rates(struct al_softmac_bands *bands)
{
	struct ieee80211_supported_band *band = &bands->band;
	unsigned int index, first = 0;

	for (index = 0; index < BIT_RATES; index++)
		bands->bit_rates[index].bitrate = softmac_bit_rates[index];
	if (band->band != NL80211_BAND_2GHZ)
		first = AL_CCK_RATES;
	band->bitrates = &bands->bit_rates[first];
	band->n_bitrates = BIT_RATES - first;
}

static void softmac_set_channels(struct al_softmac_bands *bands)
{
	struct ieee80211_supported_band *band = &bands->band;
	const u8 *numbers = softmac_channels_2ghz;
	int index;

	BUILD_BUG_ON(ARRAY_SIZE(softmac_channels_2ghz) > CHANNELS_MAX);
	BUILD_BUG_ON(ARRAY_SIZE(softmac_channels_5ghz) > CHANNELS_MAX);
	band->n_channels = ARRAY_SIZE(softmac_channels_2ghz);
	if (band->band != NL80211_BAND_2GHZ) {
		numbers = softmac_channels_5ghz;
		band->n_channels = ARRAY_SIZE(softmac_channels_5ghz);
	}
	for (index = 0; index < band->n_channels; index++) {
		struct ieee80211_channel *channel = &bands->channels[index];

		channel->band = band->band;
		channel->hw_value = numbers[index];
		channel->center_freq =
			ieee80211_channel_to_frequency(numbers[index],
						       band->band);
		channel->max_power = 30;
	}
	band->channels = bands->channels;
}

static void softmac_set_ht(struct ieee80211_sta_ht_cap *cap,
			   const struct al_rate *best)
{
	u8 mcs = best->phy == AL_PHY_HT ? best->mcs : 7;
	int stream;

	cap->ht_supported = true;
	cap->cap = IEEE80211_HT_CAP_MAX_AMSDU;
	if (best->width_mhz >= 40)
		cap->cap |= IEEE80211_HT_CAP_SUP_WIDTH_20_40 |
			    IEEE80211_HT_CAP_DSSSCCK40;
	/* Every HE device has HT's and VHT's short guard interval as well. */
	if (best->gi_ns == 400 || best->phy == AL_PHY_HE) {
		cap->cap |= IEEE80211_HT_CAP_SGI_20;
		if (best->width_mhz >= 40)
			cap->cap |= IEEE80211_HT_CAP_SGI_40;
	}
	cap->ampdu_factor = IEEE80211_HT_MAX_AMPDU_64K;
	cap->ampdu_density = IEEE80211_HT_MPDU_DENSITY_NONE;
	for (stream = 0; stream < best->streams; stream++)
		cap->mcs.rx_mask[stream] = (1 << (min_t(u8, mcs, 7) + 1)) - 1;
	cap->mcs.tx_params = IEEE80211_HT_MCS_TX_DEFINED;
}

/* Returns a map with two bits for each of eight streams: @value for those that the
 * device has, 3 for the others.
 */
static u16 softmac_mcs_map(const struct al_rate *best, u16 value)
{
	u16 map = 0xffff;
	int stream;

	for (stream = 0; stream < best->streams; stream++) {
		map &= ~(3 << (2 * stream));
		map |= value << (2 * stream);
	}
	return map;
}

static void softmac_set_vht(struct ieee80211_sta_vht_cap *cap,
			    const struct al_rate *best)
{
	u16 value = IEEE80211_VHT_MCS_SUPPORT_0_9, map;

	if (best->phy == AL_PHY_VHT && best->mcs < 8)
		value = IEEE80211_VHT_MCS_SUPPORT_0_7;
	else if (best->phy == AL_PHY_VHT && best->mcs == 8)
		value = IEEE80211_VHT_MCS_SUPPORT_0_8;
	map = softmac_mcs_map(best, value);

	cap->vht_supported = true;
	cap->cap = IEEE80211_VHT_CAP_MAX_MPDU_LENGTH_11454 |
		   IEEE80211_VHT_CAP_MAX_A_MPDU_LENGTH_EXPONENT_MASK;
	if (best->width_mhz >= 160)
		cap->cap |= IEEE80211_VHT_CAP_SUPP_CHAN_WIDTH_160MHZ;
	if (best->gi_ns == 400 || best->phy == AL_PHY_HE) {
		cap->cap |= IEEE80211_VHT_CAP_SHORT_GI_80;
		if (best->width_mhz >= 160)
			cap->cap |= IEEE80211_VHT_CAP_SHORT_GI_160;
	}
	cap->vht_mcs.rx_mcs_map = cpu_to_le16(map);
	cap->vht_mcs.tx_mcs_map = cpu_to_le16(map);
}

static u8 softmac_he_widths(enum nl80211_band band, u8 width_mhz)
{
	u8 widths = 0;

	if (band == NL80211_BAND_2GHZ) {
		if (width_mhz >= 40)
			widths |= IEEE80211_HE_PHY_CAP0_CHANNEL_WIDTH_SET_40MHZ_IN_2G;
		return widths;
	}
	if (width_mhz >= 40)
		widths |= IEEE80211_HE_PHY_CAP0_CHANNEL_WIDTH_SET_40MHZ_80MHZ_IN_5G;
	if (width_mhz >= 160)
		widths |= IEEE80211_HE_PHY_CAP0_CHANNEL_WIDTH_SET_160MHZ_IN_5G;
	return widths;
}

static void softmac_set_he(struct al_softmac_bands *bands,
			   const struct al_rate *best)
{
	struct ieee80211_sta_he_cap *cap = &bands->he.he_cap;
	struct ieee80211_he_cap_elem *elem = &cap->he_cap_elem;
	struct ieee80211_he_mcs_nss_supp *mcs = &cap->he_mcs_nss_supp;
	__le16 none = cpu_to_le16(0xffff), map;
	u16 value = IEEE80211_HE_MCS_SUPPORT_0_7;

	if (best->mcs >= 10)
		value = IEEE80211_HE_MCS_SUPPORT_0_11;
	else if (best->mcs >= 8)
		value = IEEE80211_HE_MCS_SUPPORT_0_9;
	map = cpu_to_le16(softmac_mcs_map(best, value));

	cap->has_he = true;
	elem->mac_cap_info[0] = IEEE80211_HE_MAC_CAP0_HTC_HE;
	elem->mac_cap_info[3] =
		IEEE80211_HE_MAC_CAP3_MAX_AMPDU_LEN_EXP_EXT_3;
	elem->phy_cap_info[0] = softmac_he_widths(bands->band.band,
						  best->width_mhz);
	elem->phy_cap_info[1] =
		IEEE80211_HE_PHY_CAP1_LDPC_CODING_IN_PAYLOAD;
	mcs->rx_mcs_80 = map;
	mcs->tx_mcs_80 = map;
	mcs->rx_mcs_160 = best->width_mhz >= 160 ? map : none;
	mcs->tx_mcs_160 = mcs->rx_mcs_160;
	mcs->rx_mcs_80p80 = none;
	mcs->tx_mcs_80p80 = none;
	bands->he.types_mask = BIT(NL80211_IFTYPE_STATION) |
			       BIT(NL80211_IFTYPE_AP) |
			       BIT(NL80211_IFTYPE_MESH_POINT);
	al_set_iftype_data(&bands->band, &bands->he, 1);
}

/* Returns NULL if there is no memory. To be freed with kfree(), after the device. */
struct al_softmac_bands *al_softmac_bands_create(const struct al_band *band,
						 const struct al_rate *best)
{
	struct al_softmac_bands *bands = kzalloc(sizeof(*bands), GFP_KERNEL);

	if (!bands)
		return NULL;
	bands->band.band = band == &al_band_2ghz ? NL80211_BAND_2GHZ :
						   NL80211_BAND_5GHZ;
	softmac_set_bit_rates(bands);
	softmac_set_channels(bands);
	if (best->phy >= AL_PHY_HT)
		softmac_set_ht(&bands->band.ht_cap, best);
	if (best->phy >= AL_PHY_VHT && bands->band.band == NL80211_BAND_5GHZ)
		softmac_set_vht(&bands->band.vht_cap, best);
	if (best->phy >= AL_PHY_HE)
		softmac_set_he(bands, best);
	return bands;
}

/* Called before the device is registered. */
void al_softmac_bands_apply(struct al_softmac_bands *bands,
			    struct ieee80211_hw *hw)
{
	hw->wiphy->bands[bands->band.band] = &bands->band;
	hw->wiphy->regulatory_flags |= REGULATORY_WIPHY_SELF_MANAGED;
}

/* Called after the device is registered. */
int al_softmac_set_regulatory(struct ieee80211_hw *hw)
{
	struct ieee80211_regdomain *domain;
	int err;

	domain = kmemdup(&softmac_anything_goes,
			 struct_size(domain, reg_rules, 2), GFP_KERNEL);
	if (!domain)
		return -ENOMEM;
	rtnl_lock();
	wiphy_lock(hw->wiphy);
	err = regulatory_set_wiphy_regd_sync(hw->wiphy, domain);
	wiphy_unlock(hw->wiphy);
	rtnl_unlock();
	kfree(domain);
	return err;
}
