// SPDX-License-Identifier: GPL-2.0
/*
 * A device that shows all that is on a medium, for tcpdump and Wireshark, as
 * hwsim0 does for mac80211_hwsim: each MPDU of each try of a PPDU, RTS, CTS, ACK
 * and block ack, with radiotap header and FCS, each with the end of its PPDU as
 * its time.
 *
 * It hears everybody, without noise. What a collision has made of a frame depends on
 * where one stands; here its FCS is bad if its receiver could not decode it (of
 * multicast: if nobody could). MPDUs that are lost in noise look good; the block ack
 * says which they were.
 *
 * Data of a softmac device is shown as the driver got it. A fullmac device makes an
 * 802.11 header that says the same as its Ethernet one; lengths, numbers and times
 * are those of the model. Control frames exist in a capture only.
 *
 * Without such a device, or while it is down, none of this costs anything. Frames go
 * to the taps only: for the stack they are PACKET_OTHERHOST.
 */

#include <linux/crc32.h>
#include <linux/ieee80211.h>
#include <linux/if_arp.h>
#include <linux/netdevice.h>
#include <linux/netlink.h>
#include <net/cfg80211.h>

#include "air/exchange.h"
#include "capture/mpdu.h"
#include "capture/radiotap.h"
#include "capture/sniffer.h"
#include "radio/ppdu.h"
#include "radio/radio.h"

struct al_sniffer {
	struct net_device *dev;
};

struct block_ack {
	__le16 frame_control;
	__le16 duration;
	u8 ra[ETH_ALEN];
	u8 ta[ETH_ALEN];
	__le16 control;
	__le16 start;
	u8 bitmap[AL_SUBFRAMES_MAX / 8];
} __packed __aligned(2);

#define BA_FIXED_BYTES	offsetof(struct block_ack, bitmap)

/* The length of the bitmap, in the Fragment Number subfield (9.3.1.8.2). */
#define BA_BITMAP_64	0
#define BA_BITMAP_256	4

#define DURATION_MAX_US	32767

/* Gives a frame its FCS and its radiotap header, and passes it to all taps. Takes
 * @skb.
 */
static void sniffer_show(const struct al_exchange *exchange,
			 struct sk_buff *skb, const struct al_radiotap *tap)
{
	struct net_device *dev = exchange->from->medium->sniffer->dev;
	u32 inverse = crc32_le(~0, skb->data, skb->len);
	__le32 fcs = cpu_to_le32(tap->bad_fcs ? inverse : ~inverse);

	skb_put_data(skb, &fcs, FCS_LEN);
	memcpy(skb_push(skb, tap->length), tap->bytes, tap->length);

	skb->dev = dev;
	skb->protocol = htons(ETH_P_802_2);
	skb->pkt_type = PACKET_OTHERHOST;
	skb->ip_summed = CHECKSUM_UNNECESSARY;
	skb->tstamp = ktime_mono_to_real(ns_to_ktime(exchange->at_ns));
	skb_reset_mac_header(skb);
	dev->stats.rx_packets++;
	dev->stats.rx_bytes += skb->len;
	netif_rx(skb);
}

static __le16 sniffer_duration(const struct al_exchange *exchange)
{
	u64 us = DIV_ROUND_UP_ULL(exchange->remaining_ns, NSEC_PER_USEC);

	return cpu_to_le16(min_t(u64, us, DURATION_MAX_US));
}

/* Returns the radio that the frame of this step is for. NULL: it is multicast, or
 * for an address that no radio has (only softmac devices send such frames).
 */
static const struct al_radio *
sniffer_receiver(const struct al_exchange *exchange)
{
	if (exchange->from == exchange->edcaf->radio)
		return exchange->ppdu->queue->link->to;
	return exchange->edcaf->radio;
}

/* Sets the receiver's address: the radio's, or if there is none the frame's own. */
static void sniffer_put_receiver(const struct al_exchange *exchange,
				 u8 *address)
{
	const struct al_radio *to = sniffer_receiver(exchange);
	const struct al_mpdu *mpdu = list_first_entry(&exchange->ppdu->mpdus,
						      struct al_mpdu, node);
	const struct ieee80211_hdr *header = (void *)mpdu->skbs->data;

	ether_addr_copy(address, to ? to->address : header->addr1);
}

static bool sniffer_collided(const struct al_exchange *exchange)
{
	const struct al_radio *to = sniffer_receiver(exchange);
	DECLARE_BITMAP(bad, AL_RADIOS_MAX);

	if (bitmap_empty(exchange->garbled, AL_RADIOS_MAX))
		return false;
	bitmap_or(bad, exchange->garbled, exchange->deaf, AL_RADIOS_MAX);
	if (to)
		return test_bit(to->index, bad);
	return bitmap_subset(exchange->from->hearers, bad, AL_RADIOS_MAX);
}

/* Returns the channel that the sender's host has set, or the first of the band. */
static u16 sniffer_channel_mhz(const struct al_radio *radio)
{
	if (radio->mhz)
		return radio->mhz;
	return radio->medium->band == &al_band_2ghz ? 2412 : 5180;
}

static void sniffer_begin_radiotap(const struct al_exchange *exchange,
				   const struct al_rate *rate,
				   struct al_radiotap *tap)
{
	al_radiotap_begin(tap, rate, sniffer_channel_mhz(exchange->from),
			  exchange->at_ns - exchange->frame_ns);
	if (sniffer_collided(exchange))
		al_radiotap_bad_fcs(tap);
}

static bool sniffer_is_retry(const struct al_ppdu *ppdu)
{
	return ppdu->stage_index || ppdu->stage_tries;
}

/* Sets what differs between the tries of a frame. */
static void sniffer_settle_header(const struct al_exchange *exchange,
				  const struct al_mpdu *mpdu,
				  struct sk_buff *skb)
{
	struct ieee80211_hdr *header = (struct ieee80211_hdr *)skb->data;

	if (!ieee80211_is_pspoll(header->frame_control))
		header->duration_id = sniffer_duration(exchange);
	if (mpdu->tries || sniffer_is_retry(exchange->ppdu))
		header->frame_control |= cpu_to_le16(IEEE80211_FCTL_RETRY);
}

static void sniffer_show_data(const struct al_exchange *exchange)
{
	const struct al_ppdu *ppdu = exchange->ppdu;
	const struct al_rate *rate = &al_ppdu_stage(ppdu)->rate;
	const struct al_mpdu *mpdu;
	struct al_radiotap tap;
	struct sk_buff *skb;

	sniffer_begin_radiotap(exchange, rate, &tap);
	if (ppdu->frames > 1)
		al_radiotap_ampdu(&tap, ppdu->reference);
	al_radiotap_end(&tap, rate);

	list_for_each_entry(mpdu, &ppdu->mpdus, node) {
		if (ppdu->frames > 1 && list_is_last(&mpdu->node, &ppdu->mpdus))
			al_radiotap_last(&tap);
		skb = al_capture_mpdu(mpdu);
		if (unlikely(!skb))
			continue;
		sniffer_settle_header(exchange, mpdu, skb);
		sniffer_show(exchange, skb, &tap);
	}
}

static void sniffer_show_control(const struct al_exchange *exchange,
				 const void *frame, u8 bytes)
{
	struct al_rate rate =
		al_response_rate(&al_ppdu_stage(exchange->ppdu)->rate);
	struct sk_buff *skb = al_capture_alloc(bytes);
	struct al_radiotap tap;

	if (unlikely(!skb))
		return;
	skb_put_data(skb, frame, bytes);
	sniffer_begin_radiotap(exchange, &rate, &tap);
	al_radiotap_end(&tap, &rate);
	sniffer_show(exchange, skb, &tap);
}

static void sniffer_show_rts(const struct al_exchange *exchange)
{
	struct ieee80211_rts rts = {
		.frame_control = cpu_to_le16(IEEE80211_FTYPE_CTL |
					     IEEE80211_STYPE_RTS),
		.duration = sniffer_duration(exchange),
	};

	sniffer_put_receiver(exchange, rts.ra);
	ether_addr_copy(rts.ta, exchange->from->address);
	sniffer_show_control(exchange, &rts, sizeof(rts));
}

/* A CTS and an ACK differ only in their subtype. */
static void sniffer_show_answer(const struct al_exchange *exchange, u16 subtype)
{
	struct ieee80211_cts answer = {
		.frame_control = cpu_to_le16(IEEE80211_FTYPE_CTL | subtype),
		.duration = sniffer_duration(exchange),
	};

	ether_addr_copy(answer.ra, sniffer_receiver(exchange)->address);
	sniffer_show_control(exchange, &answer, sizeof(answer));
}

/* Returns the number that an MPDU has in its header. */
static u16 sniffer_number(const struct al_mpdu *mpdu)
{
	const struct ieee80211_hdr *header = (void *)mpdu->skbs->data;

	if (mpdu->queue->link->from->ops->capture)
		return mpdu->seq & IEEE80211_MAX_SN;
	return IEEE80211_SEQ_TO_SN(le16_to_cpu(header->seq_ctrl));
}

/* Sets a bit for each MPDU of the PPDU that was received, from the first MPDU on,
 * which has the lowest number.
 */
static void sniffer_mark_received(const struct al_ppdu *ppdu,
				  struct block_ack *ba)
{
	const struct al_mpdu *mpdu;
	u16 first, offset;

	mpdu = list_first_entry(&ppdu->mpdus, struct al_mpdu, node);
	first = sniffer_number(mpdu);
	ba->start |= cpu_to_le16(IEEE80211_SN_TO_SEQ(first));
	list_for_each_entry(mpdu, &ppdu->mpdus, node) {
		offset = ieee80211_sn_sub(sniffer_number(mpdu), first);
		if (mpdu->received && offset < AL_SUBFRAMES_MAX)
			ba->bitmap[offset / 8] |= BIT(offset % 8);
	}
}

static void sniffer_show_block_ack(const struct al_exchange *exchange)
{
	const struct al_queue *queue = exchange->ppdu->queue;
	bool wide = al_queue_wide_block_ack(queue);
	struct block_ack ba = {
		.frame_control = cpu_to_le16(IEEE80211_FTYPE_CTL |
					     IEEE80211_STYPE_BACK),
		.duration = sniffer_duration(exchange),
		.control = cpu_to_le16(IEEE80211_BAR_CTRL_CBMTID_COMPRESSED_BA |
				       queue->tid <<
				       IEEE80211_BAR_CTRL_TID_INFO_SHIFT),
		.start = cpu_to_le16(wide ? BA_BITMAP_256 : BA_BITMAP_64),
	};

	ether_addr_copy(ba.ra, sniffer_receiver(exchange)->address);
	ether_addr_copy(ba.ta, exchange->from->address);
	sniffer_mark_received(exchange->ppdu, &ba);
	sniffer_show_control(exchange, &ba,
			     (wide ? AL_BA_WIDE_BYTES : AL_BA_BYTES) - FCS_LEN);
}

/* Shows the frame of this step, which has ended. The medium must have a sniffer.
 * Caller holds the lock.
 */
void al_sniff(const struct al_exchange *exchange)
{
	if (!netif_running(exchange->from->medium->sniffer->dev))
		return;
	switch (exchange->step) {
	case AL_STEP_RTS:
		sniffer_show_rts(exchange);
		break;
	case AL_STEP_CTS:
		sniffer_show_answer(exchange, IEEE80211_STYPE_CTS);
		break;
	case AL_STEP_DATA:
		sniffer_show_data(exchange);
		break;
	default:
		if (exchange->ppdu->response == AL_RESPONSE_BA)
			sniffer_show_block_ack(exchange);
		else
			sniffer_show_answer(exchange, IEEE80211_STYPE_ACK);
		break;
	}
}

static netdev_tx_t sniffer_xmit(struct sk_buff *skb, struct net_device *dev)
{
	dev_core_stats_tx_dropped_inc(dev);
	dev_kfree_skb(skb);
	return NETDEV_TX_OK;
}

static const struct net_device_ops sniffer_netdev_ops = {
	.ndo_start_xmit	= sniffer_xmit,
};

static void sniffer_setup(struct net_device *dev)
{
	dev->netdev_ops = &sniffer_netdev_ops;
	dev->needs_free_netdev = true;
	dev->type = ARPHRD_IEEE80211_RADIOTAP;
	dev->flags = IFF_NOARP;
	dev->priv_flags |= IFF_NO_QUEUE;
	dev->mtu = IEEE80211_MAX_MPDU_LEN_VHT_11454 + AL_RADIOTAP_BYTES;
}

static void sniffer_set(struct al_medium *medium, struct al_sniffer *sniffer)
{
	spin_lock_bh(&medium->lock);
	medium->sniffer = sniffer;
	spin_unlock_bh(&medium->lock);
}

/* Makes the sniffer of a medium, in @net. A medium has one at most. al_mutex is
 * held.
 */
int al_sniffer_create(struct al_medium *medium, struct net *net,
		      const char *name, struct netlink_ext_ack *extack)
{
	struct al_sniffer *sniffer;
	struct net_device *dev;
	int err;

	if (medium->sniffer) {
		NL_SET_ERR_MSG(extack, "the medium has a sniffer already");
		return -EEXIST;
	}
	dev = alloc_netdev(sizeof(*sniffer), name, NET_NAME_USER,
			   sniffer_setup);
	if (!dev)
		return -ENOMEM;
	dev_net_set(dev, net);
	err = register_netdev(dev);
	if (err) {
		NL_SET_ERR_MSG(extack, "the device cannot be made; is its name free?");
		free_netdev(dev);
		return err;
	}
	sniffer = netdev_priv(dev);
	sniffer->dev = dev;
	sniffer_set(medium, sniffer);
	return 0;
}

/* Removes the sniffer, if there is one. al_mutex is held. */
void al_sniffer_destroy(struct al_medium *medium)
{
	struct al_sniffer *sniffer = medium->sniffer;

	if (!sniffer)
		return;
	sniffer_set(medium, NULL);
	unregister_netdev(sniffer->dev);
}
