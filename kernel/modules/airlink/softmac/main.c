// SPDX-License-Identifier: GPL-2.0
/*
 * The softmac front end: a mac80211 device, which can be station, access point, IBSS
 * station, mesh point and monitor. mac80211 does 802.11: association, encryption,
 * queues, airtime fairness, rate control, block ack agreements, reordering.
 * softmac.h has the list of the files here.
 *
 * A device has one interface (and monitors) with the address of its radio, which
 * is what the radio answers to. Its name, if it has one, is the wiphy's; the
 * interface that mac80211 makes is called wlan%d.
 *
 * A device has no channels of its own (caps.c), no power save as a station and no
 * hardware encryption. A-MSDUs are those that the core forms of frames in the device.
 */

#include <linux/delay.h>
#include <linux/platform_device.h>

#include "compat.h"
#include "radio/front.h"
#include "softmac/beacon.h"
#include "softmac/caps.h"
#include "softmac/rate.h"
#include "softmac/rx.h"
#include "softmac/softmac.h"
#include "softmac/sta.h"
#include "softmac/status.h"
#include "softmac/survey.h"
#include "softmac/tx.h"

#define RATE_TRIES	10
#define WINDOW_MAX	256
/* How long softmac_flush() and softmac_stop() wait for reports. Some profiles have
 * them late.
 */
#define FLUSH_MS	200
#define STOP_MS		5000

static int softmac_start(struct ieee80211_hw *hw)
{
	struct al_softmac *softmac = hw->priv;

	al_softmac_reset_tsf(hw, NULL);
	al_softmac_survey_start(softmac);
	al_radio_up(softmac->radio);
	return 0;
}

/* Waits until all frames are reported, but no longer than @ms. */
static void softmac_wait_for_reports(struct al_softmac *softmac,
				     unsigned int ms)
{
	while (READ_ONCE(softmac->radio->host.frames) && ms--)
		usleep_range(1000, 1100);
}

/* mac80211 wants all of its frames back, and none after this. */
static void softmac_stop(AL_STOP_ARGUMENTS)
{
	struct al_softmac *softmac = hw->priv;

	al_softmac_beacons_stop(softmac);
	al_radio_down(softmac->radio);
	softmac_wait_for_reports(softmac, STOP_MS);
	napi_synchronize(&softmac->radio->host.napi);
}

/* The frames in the device are lost. */
static void softmac_drop_frames(struct al_softmac *softmac)
{
	al_radio_down(softmac->radio);
	al_radio_up(softmac->radio);
}

static int softmac_add_interface(struct ieee80211_hw *hw,
				 struct ieee80211_vif *vif)
{
	struct al_softmac *softmac = hw->priv;

	if (!ether_addr_equal(vif->addr, softmac->radio->address))
		return -EADDRNOTAVAIL;
	return 0;
}

static void softmac_remove_interface(struct ieee80211_hw *hw,
				     struct ieee80211_vif *vif)
{
	struct al_softmac *softmac = hw->priv;
	struct al_radio *radio = softmac->radio;
	struct al_queue *queue;

	if (softmac->beaconing == vif)
		al_softmac_beacons_stop(softmac);
	spin_lock_bh(&radio->medium->lock);
	queue = radio->link_to_all ? radio->link_to_all->queues[0] : NULL;
	if (queue && queue->txq == vif->txq)
		queue->txq = NULL;
	spin_unlock_bh(&radio->medium->lock);
	softmac_drop_frames(softmac);
}

static int softmac_config(struct ieee80211_hw *hw, u32 changed)
{
	struct al_softmac *softmac = hw->priv;

	if (changed & IEEE80211_CONF_CHANGE_CHANNEL)
		WRITE_ONCE(softmac->radio->mhz,
			   hw->conf.chandef.chan->center_freq);
	return 0;
}

static void softmac_configure_filter(struct ieee80211_hw *hw,
				     unsigned int changed, unsigned int *flags,
				     u64 multicast)
{
	struct al_softmac *softmac = hw->priv;

	*flags &= FIF_OTHER_BSS | FIF_ALLMULTI | FIF_BCN_PRBRESP_PROMISC |
		  FIF_PROBE_REQ;
	al_radio_listen(softmac->radio, *flags & FIF_OTHER_BSS);
}

static void softmac_bss_changed(struct ieee80211_hw *hw,
				struct ieee80211_vif *vif,
				struct ieee80211_bss_conf *bss, u64 changed)
{
	struct al_softmac *softmac = hw->priv;

	if (!(changed & (BSS_CHANGED_BEACON_ENABLED | BSS_CHANGED_BEACON_INT)))
		return;
	if (bss->enable_beacon)
		al_softmac_beacons_start(softmac, vif, bss->beacon_int);
	else if (softmac->beaconing == vif)
		al_softmac_beacons_stop(softmac);
}

static int softmac_conf_tx(struct ieee80211_hw *hw, struct ieee80211_vif *vif,
			   unsigned int link_id, u16 ac,
			   const struct ieee80211_tx_queue_params *params)
{
	struct al_softmac *softmac = hw->priv;
	struct al_radio *radio = softmac->radio;
	struct al_edcaf *edcaf = &radio->edcaf[ac];
	const struct al_edca_params ours = {
		.aifsn = params->aifs,
		.cw_min = params->cw_min,
		.cw_max = params->cw_max,
		.txop_us = params->txop * 32,
	};

	spin_lock_bh(&radio->medium->lock);
	al_edcaf_configure(edcaf, &ours);
	edcaf->cw = ours.cw_min;
	spin_unlock_bh(&radio->medium->lock);
	return 0;
}

static void softmac_flush(struct ieee80211_hw *hw, struct ieee80211_vif *vif,
			  u32 queues, bool drop)
{
	struct al_softmac *softmac = hw->priv;

	if (drop)
		softmac_drop_frames(softmac);
	softmac_wait_for_reports(softmac, FLUSH_MS);
}

static const struct ieee80211_ops softmac_mac80211_ops = {
	AL_NO_CHANCTX
	.tx			= al_softmac_tx,
	.wake_tx_queue		= al_softmac_wake_tx_queue,
	.start			= softmac_start,
	.stop			= softmac_stop,
	.add_interface		= softmac_add_interface,
	.remove_interface	= softmac_remove_interface,
	.config			= softmac_config,
	.configure_filter	= softmac_configure_filter,
	.bss_info_changed	= softmac_bss_changed,
	.conf_tx		= softmac_conf_tx,
	.flush			= softmac_flush,
	.get_survey		= al_softmac_get_survey,
	.get_tsf		= al_softmac_get_tsf,
	.set_tsf		= al_softmac_set_tsf,
	.reset_tsf		= al_softmac_reset_tsf,
	.sta_state		= al_softmac_sta_state,
	.sta_notify		= al_softmac_sta_notify,
	.release_buffered_frames = al_softmac_release,
	.ampdu_action		= al_softmac_ampdu,
};

/* mac80211 must not have the device yet, or any more. */
static void softmac_free_device(struct al_softmac *softmac)
{
	if (softmac->parent)
		platform_device_unregister(softmac->parent);
	kfree(softmac->bands);
	ieee80211_free_hw(softmac->hw);
}

static void softmac_remove(struct al_radio *radio)
{
	struct al_softmac *softmac = radio->front;

	ieee80211_unregister_hw(softmac->hw);	/* closes the interfaces */
	softmac->registered = false;
	al_radio_destroy(radio);
	softmac_free_device(softmac);
}

/* mac80211 has been told these when the device was made. */
static int softmac_check_profile(const struct al_radio *radio,
				 const struct al_profile *profile,
				 struct netlink_ext_ack *extack)
{
	if (profile->device_queues != radio->profile.device_queues) {
		NL_SET_ERR_MSG(extack,
			       "device_queues: not of a softmac radio in use");
		return -EOPNOTSUPP;
	}
	if (profile->aql != radio->profile.aql) {
		NL_SET_ERR_MSG(extack, "aql: not of a softmac radio in use");
		return -EOPNOTSUPP;
	}
	if (profile->pacing_shift != radio->profile.pacing_shift) {
		NL_SET_ERR_MSG(extack,
			       "pacing_shift: not of a softmac radio in use");
		return -EOPNOTSUPP;
	}
	return 0;
}

#define COMMON_OPS					\
	.mpdu_bytes	= al_softmac_mpdu_bytes,	\
	.drop		= al_softmac_drop,		\
	.copy		= al_softmac_copy,		\
	.check_profile	= softmac_check_profile,	\
	.sends_alone	= al_softmac_sends_alone,	\
	.choose_rates	= al_softmac_choose_rates,	\
	.receive	= al_softmac_receive,		\
	.report		= al_softmac_report,		\
	.resume		= al_softmac_resume,		\
	.remove		= softmac_remove

static const struct al_front_ops softmac_front_ops[] = {
	[AL_PULL] = {
		COMMON_OPS,
		.pull		= al_softmac_pull,
		.form_ppdus	= al_softmac_form_ppdus,
		.requeue	= al_softmac_requeue,
	},
	[AL_PUSH] = {
		COMMON_OPS,
		.reports_done	= al_softmac_reports_done,
	},
	[AL_DRAIN] = {
		COMMON_OPS,
	},
};

static void softmac_set_hw_flags(struct ieee80211_hw *hw,
				 const struct al_profile *profile)
{
	ieee80211_hw_set(hw, SIGNAL_DBM);
	ieee80211_hw_set(hw, MFP_CAPABLE);
	ieee80211_hw_set(hw, SUPPORT_FAST_XMIT);
	ieee80211_hw_set(hw, SUPPORTS_RC_TABLE);
	ieee80211_hw_set(hw, SUPPORTS_CLONED_SKBS);
	ieee80211_hw_set(hw, REPORTS_TX_ACK_STATUS);
	ieee80211_hw_set(hw, BEACON_TX_STATUS);
	ieee80211_hw_set(hw, HOST_BROADCAST_PS_BUFFERING);
	if (profile->device_queues != AL_PUSH && profile->aggregate_frames > 1)
		ieee80211_hw_set(hw, AMPDU_AGGREGATION);
	if (profile->device_queues != AL_DRAIN)
		wiphy_ext_feature_set(hw->wiphy,
				      NL80211_EXT_FEATURE_AIRTIME_FAIRNESS);
	if (profile->device_queues == AL_PUSH && profile->aql)
		wiphy_ext_feature_set(hw->wiphy, NL80211_EXT_FEATURE_AQL);
	wiphy_ext_feature_set(hw->wiphy, NL80211_EXT_FEATURE_CQM_RSSI_LIST);
}

static void softmac_describe(struct ieee80211_hw *hw,
			     const struct al_radio_config *config)
{
	const struct al_profile *profile = &config->profile;

	hw->queues = IEEE80211_NUM_ACS;
	hw->max_rates = AL_RATE_STAGES;
	hw->max_report_rates = AL_RATE_STAGES;
	hw->max_rate_tries = RATE_TRIES;
	hw->max_rx_aggregation_subframes = WINDOW_MAX;
	hw->max_tx_aggregation_subframes = profile->window_frames;
	hw->sta_data_size = sizeof(struct al_softmac_sta);
	if (profile->pacing_shift)
		hw->tx_sk_pacing_shift = profile->pacing_shift;
	hw->wiphy->interface_modes = BIT(NL80211_IFTYPE_STATION) |
				     BIT(NL80211_IFTYPE_AP) |
				     BIT(NL80211_IFTYPE_ADHOC) |
				     BIT(NL80211_IFTYPE_MESH_POINT) |
				     BIT(NL80211_IFTYPE_MONITOR);
	hw->wiphy->flags |= WIPHY_FLAG_IBSS_RSN | WIPHY_FLAG_4ADDR_AP |
			    WIPHY_FLAG_4ADDR_STATION;
	SET_IEEE80211_PERM_ADDR(hw, config->address);
	wiphy_net_set(hw->wiphy, config->net);
	softmac_set_hw_flags(hw, profile);
}

/* Makes everything but the radio. Returns an ERR_PTR() if it fails. */
static struct al_softmac *
softmac_create_device(const struct al_radio_config *config)
{
	const char *name = config->name[0] ? config->name : NULL;
	struct al_softmac *softmac;
	struct ieee80211_hw *hw;
	int err;

	hw = ieee80211_alloc_hw_nm(sizeof(*softmac), &softmac_mac80211_ops,
				   name);
	if (!hw)
		return ERR_PTR(-ENOMEM);
	softmac = hw->priv;
	softmac->hw = hw;
	softmac_describe(hw, config);
	al_softmac_beacons_init(softmac);

	softmac->bands = al_softmac_bands_create(config->medium->band,
						 &config->best);
	if (!softmac->bands) {
		err = -ENOMEM;
		goto free;
	}
	al_softmac_bands_apply(softmac->bands, hw);

	softmac->parent =
		platform_device_register_simple("airlink", PLATFORM_DEVID_AUTO,
						NULL, 0);
	if (IS_ERR(softmac->parent)) {
		err = PTR_ERR(softmac->parent);
		softmac->parent = NULL;
		goto free;
	}
	SET_IEEE80211_DEV(hw, &softmac->parent->dev);
	return softmac;

free:
	softmac_free_device(softmac);
	return ERR_PTR(err);
}

/* Returns an ERR_PTR() if it fails. al_mutex is held. */
struct al_radio *al_softmac_create(const struct al_radio_config *config,
				   struct netlink_ext_ack *extack)
{
	const struct al_front_ops *ops =
		&softmac_front_ops[config->profile.device_queues];
	struct al_softmac *softmac = softmac_create_device(config);
	struct al_radio *radio;
	int err;

	if (IS_ERR(softmac))
		return ERR_CAST(softmac);
	radio = al_radio_create(config, ops, softmac, extack);
	if (IS_ERR(radio)) {
		err = PTR_ERR(radio);
		goto free;
	}
	softmac->radio = radio;
	err = ieee80211_register_hw(softmac->hw);
	if (err)
		goto destroy;
	softmac->registered = true;
	err = al_softmac_set_regulatory(softmac->hw);
	if (err) {
		softmac_remove(radio);
		return ERR_PTR(err);
	}
	return radio;

destroy:
	al_radio_destroy(radio);
free:
	softmac_free_device(softmac);
	return ERR_PTR(err);
}
