/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The softmac front end: a mac80211 device.
 *
 *	main.c		its life, and mac80211's callbacks
 *	caps.c		bands, channels, HT, VHT and HE capabilities
 *	tx.c		frames: from mac80211 to the core
 *	rate.c		rates: from mac80211 to the core and back
 *	status.c	what has become of a frame
 *	rx.c		frames: from the core to mac80211
 *	sta.c		stations: block ack, power save
 *	beacon.c	TSF, beacons
 *	survey.c	how busy the channel is
 *
 * Locks: mac80211's own (fq, active_txqs, stop reasons, rate control) are taken
 * inside of the medium's, because frames leave mac80211's queues when a PPDU is
 * formed. mac80211 holds none of them when it calls a driver.
 */
#ifndef AIRLINK_SOFTMAC_H
#define AIRLINK_SOFTMAC_H

#include <linux/hrtimer.h>
#include <net/mac80211.h>

#include "radio/radio.h"

#define AL_NOISE_DBM	(-95)

/* The values of profile.device_queues; tx.c says what they mean. */
enum al_queueing { AL_PULL, AL_PUSH, AL_DRAIN };

struct al_softmac_bands;
struct platform_device;

struct al_softmac {
	/* These are set once. */
	struct ieee80211_hw *hw;
	struct al_radio *radio;
	struct platform_device *parent;
	struct al_softmac_bands *bands;

	bool registered;		/* mac80211 knows the device */
	u64 started_ns;			/* when the host last started it */
	struct al_channel_time at_start;	/* at started_ns */
	s64 tsf_offset_us;		/* TSF - time since boot */

	/* The interface that sends beacons, or NULL. It changes only while the
	 * timer is off.
	 */
	struct ieee80211_vif *beaconing;
	struct hrtimer beacon_timer;
	u32 beacon_interval_us;
};

/* ieee80211_sta->drv_priv; guarded by the medium's lock. */
struct al_softmac_sta {
	bool known;			/* mac80211 may send to the station */
	bool asleep;			/* it is in power save */
};

static inline struct al_softmac_sta *
al_softmac_sta_of(struct ieee80211_sta *sta)
{
	return (struct al_softmac_sta *)sta->drv_priv;
}

static inline enum al_queueing
al_softmac_queueing(const struct al_softmac *softmac)
{
	return softmac->radio->profile.device_queues;
}

#endif /* AIRLINK_SOFTMAC_H */
