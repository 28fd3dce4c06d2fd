// SPDX-License-Identifier: GPL-2.0
/*
 * Received frames, from the core to mac80211. A receiver gets a frame in a buffer of
 * its own, without what the sender's host keeps beside the bytes: socket, mark,
 * priority, time of departure.
 *
 * mac80211 learns the rate; the channel that the sender's host has set, so that a
 * scan finds an access point on the channel that it is said to be on; the TSF at the
 * end of the PPDU; and as signal strength the link's signal-to-noise ratio above a
 * noise floor of -95 dBm.
 */

#include "air/phy.h"
#include "radio/received.h"
#include "softmac/beacon.h"
#include "softmac/rate.h"
#include "softmac/rx.h"
#include "softmac/softmac.h"

#define CLEAR_DBM	(-30)	/* the signal of a link without noise */

/* Hardware sets the time in a beacon as it sends it. Beacons, and most probe
 * responses, go at 6 Mbit/s: 3 bytes in 4 us.
 */
static void softmac_set_timestamp(struct al_softmac *softmac,
				  struct sk_buff *copy)
{
	struct ieee80211_mgmt *frame = (void *)copy->data;
	u32 bytes = copy->len + FCS_LEN -
		    offsetof(struct ieee80211_mgmt, u.beacon.timestamp);

	if (copy->len < offsetofend(struct ieee80211_mgmt,
				    u.beacon.timestamp))
		return;
	if (ieee80211_is_beacon(frame->frame_control) ||
	    ieee80211_is_probe_resp(frame->frame_control))
		frame->u.beacon.timestamp =
			cpu_to_le64(al_softmac_tsf_us(softmac,
						      ktime_get_ns()) -
				    bytes * 4 / 3);
}

struct sk_buff *al_softmac_copy(struct al_queue *queue, struct sk_buff *skb)
{
	const struct ieee80211_hdr *header = (const void *)skb->data;
	u32 header_bytes = ieee80211_hdrlen(header->frame_control);
	struct sk_buff *copy = dev_alloc_skb(skb->len + 4);

	if (!copy)
		return NULL;
	/* The header's end has to be aligned to four bytes. */
	skb_reserve(copy, header_bytes & 3);
	if (skb_copy_bits(skb, 0, skb_put(copy, skb->len), skb->len)) {
		kfree_skb(copy);
		return NULL;
	}
	softmac_set_timestamp(queue->link->from->front, copy);
	return copy;
}

static s8 softmac_signal_dbm(s16 snr_cdb)
{
	if (snr_cdb == AL_SNR_NONE)
		return CLEAR_DBM;
	return clamp(AL_NOISE_DBM + snr_cdb / 100, -128, 0);
}

static void softmac_set_channel(const struct al_softmac *softmac, u16 mhz,
				struct ieee80211_rx_status *status)
{
	const struct ieee80211_channel *channel =
		softmac->hw->conf.chandef.chan;

	status->band = channel->band;
	status->freq = mhz ? mhz : channel->center_freq;
}

void al_softmac_receive(struct al_radio *radio, struct sk_buff *skb)
{
	struct ieee80211_rx_status *status = IEEE80211_SKB_RXCB(skb);
	const struct al_received received = *al_received(skb);
	struct al_softmac *softmac = radio->front;

	memset(skb->cb, 0, sizeof(skb->cb));
	softmac_set_channel(softmac, received.mhz, status);
	al_softmac_rate_to_rx(&received.rate, status);
	status->signal = softmac_signal_dbm(received.snr_cdb);
	status->mactime = al_softmac_tsf_us(softmac, received.at_ns);
	status->boottime_ns = ktime_get_boottime_ns();
	status->flag = RX_FLAG_MACTIME_END;
	if (received.aggregated) {
		status->flag |= RX_FLAG_AMPDU_DETAILS;
		status->ampdu_reference = received.reference;
	}
	ieee80211_rx_napi(softmac->hw, NULL, skb, &radio->host.napi);
}
