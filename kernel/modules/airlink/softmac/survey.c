// SPDX-License-Identifier: GPL-2.0
/*
 * The survey of a device's channel (iw dev wlan0 survey dump): for how long it was
 * in use, busy, and for what. The times are those since the host has started the
 * device, in ms.
 *
 *	busy	as the radio senses it: frames that it hears, and its own
 *	tx	its own: data, RTS, CTS and answers
 *	rx	the rest of busy, decoded or not. Nothing else makes a medium busy.
 *
 * The interframe spaces, backoff and the NAV are not busy time. A device knows of no
 * other channel than its own.
 */

#include <linux/math64.h>
#include <net/cfg80211.h>

#include "softmac/softmac.h"
#include "softmac/survey.h"

static struct al_channel_time softmac_channel_time(struct al_softmac *softmac,
						   u64 *now_ns)
{
	struct al_radio *radio = softmac->radio;
	struct al_channel_time time;

	spin_lock_bh(&radio->medium->lock);
	*now_ns = ktime_get_ns();
	time = al_radio_channel_time(radio, *now_ns);
	spin_unlock_bh(&radio->medium->lock);
	return time;
}

void al_softmac_survey_start(struct al_softmac *softmac)
{
	softmac->at_start = softmac_channel_time(softmac,
						 &softmac->started_ns);
}

int al_softmac_get_survey(struct ieee80211_hw *hw, int index,
			  struct survey_info *survey)
{
	struct al_softmac *softmac = hw->priv;
	struct al_channel_time time;
	u64 now_ns, busy_ns, tx_ns;

	if (index || !hw->conf.chandef.chan)
		return -ENOENT;
	time = softmac_channel_time(softmac, &now_ns);
	busy_ns = time.busy_ns - softmac->at_start.busy_ns;
	tx_ns = min(time.tx_ns - softmac->at_start.tx_ns, busy_ns);
	survey->channel = hw->conf.chandef.chan;
	survey->filled = SURVEY_INFO_NOISE_DBM | SURVEY_INFO_IN_USE |
			 SURVEY_INFO_TIME | SURVEY_INFO_TIME_BUSY |
			 SURVEY_INFO_TIME_RX | SURVEY_INFO_TIME_TX;
	survey->noise = AL_NOISE_DBM;
	survey->time = div_u64(now_ns - softmac->started_ns, NSEC_PER_MSEC);
	survey->time_busy = div_u64(busy_ns, NSEC_PER_MSEC);
	survey->time_rx = div_u64(busy_ns - tx_ns, NSEC_PER_MSEC);
	survey->time_tx = div_u64(tx_ns, NSEC_PER_MSEC);
	return 0;
}
