// SPDX-License-Identifier: GPL-2.0
/*
 * The fullmac front end: an Ethernet-like device with a qdisc above it. What
 * mac80211 does elsewhere is the firmware's: queues for each peer, aggregation,
 * block ack without a handshake, reordering.
 *
 * What a radio is it was told when it was made; there are no management frames.
 *
 *	station		It is told its access point, and is associated as long as
 *			both are up. It sends everything there, in unicast frames,
 *			whomever it is for.
 *	access point	It sends to the station that a frame is for; to all of them
 *			with a multicast frame at the lowest rate; and it forwards
 *			from one of its stations to another, as firmware does.
 *	peer		It sends to the peer that a frame is for, if that is up,
 *			and to all peers with a multicast frame. Nobody forwards:
 *			a way of several hops is a matter of routes. On the air it
 *			is outside of any BSS, as 802.11 has it since 802.11p.
 *
 * A BSSID tells who belongs together. The radios of another BSS on the medium keep out
 * of the way, and pass nothing up.
 *
 * On the air a frame is QoS data: it has 26 bytes of header, 8 of LLC/SNAP and 4 of
 * FCS instead of the 14 of its Ethernet header. Its traffic class is skb->priority,
 * if that is a traffic class, or else the upper bits of the DS field, as with
 * mac80211.
 */

#include <linux/etherdevice.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/cfg80211.h>
#include <net/sock.h>

#include "compat.h"
#include "radio/front.h"
#include "radio/radio.h"

#define QOS_HEADER_BYTES	26
#define LLC_BYTES		8
#define FCS_BYTES		4

struct al_fullmac {
	struct al_radio *radio;
	struct net_device *dev;
	u8 role;			/* enum al_role */
	u8 bssid[ETH_ALEN];		/* ones (the wildcard) if it is a peer */
};

static u32 fullmac_mpdu_bytes(const struct al_queue *queue,
			      const struct sk_buff *skb)
{
	return skb->len - ETH_HLEN + QOS_HEADER_BYTES + LLC_BYTES + FCS_BYTES;
}

/* Returns whether the two exchange frames. Stations do so by way of their access
 * point.
 */
static bool fullmac_accepts(const struct al_radio *to,
			    const struct al_radio *from)
{
	const struct al_fullmac *theirs = to->front, *ours = from->front;

	return ether_addr_equal(ours->bssid, theirs->bssid) &&
	       (ours->role != AL_ROLE_STATION ||
		theirs->role != AL_ROLE_STATION);
}

/* Returns the radio that a frame of @radio to @address is sent to, or NULL if nobody
 * can get it. Caller holds the lock.
 */
static struct al_radio *fullmac_receiver(const struct al_radio *radio,
					 const u8 *address)
{
	const struct al_fullmac *fullmac = radio->front;
	struct al_radio *to;

	if (fullmac->role == AL_ROLE_STATION)
		address = fullmac->bssid;
	to = al_radio_by_address(radio->medium, address);
	if (!to || to->ops != radio->ops || !to->up || !radio->up)
		return NULL;
	return fullmac_accepts(to, radio) ? to : NULL;
}

/* Returns the queue for a frame to @address, or NULL if nobody can get it. Caller
 * holds the lock.
 */
static struct al_queue *fullmac_queue_for(struct al_fullmac *fullmac,
					  const u8 *address, u8 tid)
{
	struct al_radio *radio = fullmac->radio, *to = NULL;
	struct al_queue *queue;
	struct al_link *link;

	if (fullmac->role != AL_ROLE_STATION &&
	    is_multicast_ether_addr(address)) {
		tid = AL_TID_NONE;
	} else {
		to = fullmac_receiver(radio, address);
		if (!to)
			return NULL;
	}
	link = to ? al_link_get(radio, to) : al_link_get_multicast(radio);
	queue = link ? al_link_queue(link, tid) : NULL;
	if (queue && to) {
		queue->session = true;
		queue->reorders = true;
	}
	return queue;
}

static u8 fullmac_tid(struct sk_buff *skb)
{
	return cfg80211_classify8021d(skb, NULL) & 7;
}

/* Takes @skb. Returns whether the host has to stop its queue. */
static bool fullmac_send(struct al_fullmac *fullmac, struct sk_buff *skb)
{
	u8 tid = fullmac_tid(skb);
	struct al_queue *queue = fullmac_queue_for(fullmac, skb->data, tid);

	if (unlikely(!queue)) {
		fullmac->radio->stats.frames_dropped++;
		dev_kfree_skb_any(skb);
		return false;
	}
	return al_host_send(queue, skb, ktime_get_ns());
}

static netdev_tx_t fullmac_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct al_fullmac *fullmac = netdev_priv(dev);
	struct al_medium *medium = fullmac->radio->medium;
	u32 shift = READ_ONCE(fullmac->radio->profile.pacing_shift);

	if (unlikely(skb_linearize(skb) || skb->len < ETH_HLEN)) {
		dev_core_stats_tx_dropped_inc(dev);
		dev_kfree_skb_any(skb);
		return NETDEV_TX_OK;
	}
	if (shift)
		sk_pacing_shift_update(skb->sk, shift);
	dev_sw_netstats_tx_add(dev, 1, skb->len);
	spin_lock(&medium->lock);
	if (fullmac_send(fullmac, skb))
		netif_stop_queue(dev);
	spin_unlock(&medium->lock);
	return NETDEV_TX_OK;
}

static struct sk_buff *fullmac_copy(struct al_queue *queue, struct sk_buff *skb)
{
	struct sk_buff *copy = netdev_alloc_skb_ip_align(NULL, skb->len);

	if (copy)
		skb_put_data(copy, skb->data, skb->len);
	return copy;
}

/* Adds an MSDU to @frame: with LLC/SNAP instead of the Ethernet header (RFC 1042). */
static void fullmac_put_msdu(struct sk_buff *frame, const struct sk_buff *skb)
{
	const struct ethhdr *ethernet = (const struct ethhdr *)skb->data;

	if (eth_proto_is_802_3(ethernet->h_proto)) {
		skb_put_data(frame, rfc1042_header, sizeof(rfc1042_header));
		skb_put_data(frame, &ethernet->h_proto,
			     sizeof(ethernet->h_proto));
	}
	skb_put_data(frame, skb->data + ETH_HLEN, skb->len - ETH_HLEN);
}

/* Adds MSDUs as an A-MSDU. A subframe's header is an Ethernet header that has the
 * length for its type (9.3.2.2.2).
 */
static void fullmac_put_amsdu(struct sk_buff *frame, const struct sk_buff *skbs)
{
	const struct sk_buff *skb;
	struct ethhdr *subframe;
	u32 start;

	for (skb = skbs; skb; skb = skb->next) {
		start = frame->len;
		subframe = skb_put_data(frame, skb->data, ETH_HLEN);
		fullmac_put_msdu(frame, skb);
		subframe->h_proto = htons(frame->len - start - ETH_HLEN);
		if (skb->next)
			skb_put_zero(frame, -(frame->len - start) & 3);
	}
}

static void fullmac_put_header(struct sk_buff *frame,
			       const struct al_mpdu *mpdu)
{
	const struct al_link *link = mpdu->queue->link;
	const struct al_fullmac *fullmac = link->from->front;
	const struct ethhdr *ethernet =
		(const struct ethhdr *)mpdu->skbs->data;
	struct ieee80211_qos_hdr *header =
		skb_put_zero(frame, sizeof(*header));
	u16 control = IEEE80211_FTYPE_DATA | IEEE80211_STYPE_QOS_DATA;
	const u8 *address3 = fullmac->bssid;
	u16 qos = mpdu->queue->tid;

	if (mpdu->msdus > 1)
		qos |= IEEE80211_QOS_CTL_A_MSDU_PRESENT;
	switch ((enum al_role)fullmac->role) {
	case AL_ROLE_ACCESS_POINT:
		control |= IEEE80211_FCTL_FROMDS;
		if (mpdu->msdus == 1)
			address3 = ethernet->h_source;
		break;
	case AL_ROLE_STATION:
		control |= IEEE80211_FCTL_TODS;
		if (mpdu->msdus == 1)
			address3 = ethernet->h_dest;
		break;
	default:
		break;
	}
	if (!link->to)
		qos = IEEE80211_QOS_CTL_ACK_POLICY_NOACK;
	header->frame_control = cpu_to_le16(control);
	ether_addr_copy(header->addr1, link->to ? link->to->address :
						  ethernet->h_dest);
	ether_addr_copy(header->addr2, link->from->address);
	ether_addr_copy(header->addr3, address3);
	header->seq_ctrl = cpu_to_le16(IEEE80211_SN_TO_SEQ(mpdu->seq));
	header->qos_ctrl = cpu_to_le16(qos);
}

/* The frame comes to mpdu->bytes, with FCS. */
static struct sk_buff *fullmac_capture(const struct al_mpdu *mpdu, u32 headroom,
				       u32 tailroom)
{
	struct sk_buff *frame = alloc_skb(headroom + mpdu->bytes + tailroom,
					  GFP_ATOMIC);

	if (!frame)
		return NULL;
	skb_reserve(frame, headroom);
	fullmac_put_header(frame, mpdu);
	if (mpdu->msdus > 1)
		fullmac_put_amsdu(frame, mpdu->skbs);
	else
		fullmac_put_msdu(frame, mpdu->skbs);
	return frame;
}

/* Sends a frame of one station to another, or to all others. The room is that of the
 * host's own frames: when those have to stop, this one is dropped, since its station
 * cannot be stopped.
 */
static void fullmac_forward(struct al_fullmac *fullmac, struct sk_buff *skb)
{
	struct al_radio *radio = fullmac->radio;
	struct al_medium *medium = radio->medium;
	struct sk_buff *again = NULL;

	spin_lock(&medium->lock);
	if (!fullmac_queue_for(fullmac, skb->data, 0))
		goto unlock;
	if (!radio->host.stopped)
		again = skb_copy(skb, GFP_ATOMIC);
	if (!again)
		radio->stats.frames_dropped++;
	else if (fullmac_send(fullmac, again))
		netif_stop_queue(fullmac->dev);
unlock:
	spin_unlock(&medium->lock);
}

static void fullmac_receive(struct al_radio *radio, struct sk_buff *skb)
{
	struct al_fullmac *fullmac = radio->front;
	struct net_device *dev = fullmac->dev;
	const u8 *to = skb->data;

	memset(skb->cb, 0, sizeof(skb->cb));
	if (fullmac->role == AL_ROLE_ACCESS_POINT &&
	    !ether_addr_equal(to, dev->dev_addr)) {
		fullmac_forward(fullmac, skb);
		if (!is_multicast_ether_addr(to)) {
			consume_skb(skb);
			return;
		}
	}
	/* A station's own multicast frame comes back from its access point. */
	if (fullmac->role == AL_ROLE_STATION &&
	    ether_addr_equal(skb->data + ETH_ALEN, dev->dev_addr)) {
		consume_skb(skb);
		return;
	}
	dev_sw_netstats_rx_add(dev, skb->len);
	skb->protocol = eth_type_trans(skb, dev);
	napi_gro_receive(&radio->host.napi, skb);
}

static void fullmac_report(struct al_radio *radio, struct al_mpdu *mpdu,
			   int budget)
{
	struct sk_buff *skb, *next;

	skb_list_walk_safe(mpdu->skbs, skb, next) {
		skb_mark_not_on_list(skb);
		if (mpdu->sent.acked)
			napi_consume_skb(skb, budget);
		else
			dev_kfree_skb_any(skb);
	}
	al_mpdu_free(mpdu);
}

static void fullmac_resume(struct al_radio *radio)
{
	struct al_fullmac *fullmac = radio->front;

	netif_wake_queue(fullmac->dev);
}

static int fullmac_open(struct net_device *dev)
{
	struct al_fullmac *fullmac = netdev_priv(dev);

	al_radio_up(fullmac->radio);
	netif_start_queue(dev);
	return 0;
}

static int fullmac_stop(struct net_device *dev)
{
	struct al_fullmac *fullmac = netdev_priv(dev);

	netif_stop_queue(dev);
	al_radio_down(fullmac->radio);
	return 0;
}

static const struct net_device_ops fullmac_netdev_ops = {
	.ndo_open		= fullmac_open,
	.ndo_stop		= fullmac_stop,
	.ndo_start_xmit		= fullmac_xmit,
	.ndo_get_stats64	= dev_get_tstats64,
	.ndo_validate_addr	= eth_validate_addr,
};

static void fullmac_setup(struct net_device *dev)
{
	ether_setup(dev);
	dev->netdev_ops = &fullmac_netdev_ops;
	dev->min_mtu = ETH_MIN_MTU;
	dev->max_mtu = 2304 - LLC_BYTES;	/* an MSDU has 2304: 9.2.4.7.1 */
	/* pktgen must not send an skb again while it is queued here. */
	dev->priv_flags &= ~IFF_TX_SKB_SHARING;
}

static void fullmac_remove(struct al_radio *radio)
{
	struct al_fullmac *fullmac = radio->front;
	struct net_device *dev = fullmac->dev;

	unregister_netdev(dev);
	al_radio_destroy(radio);
	free_percpu(dev->tstats);
	free_netdev(dev);
}

static const struct al_front_ops fullmac_front_ops = {
	.mpdu_bytes	= fullmac_mpdu_bytes,
	.accepts	= fullmac_accepts,
	.copy		= fullmac_copy,
	.capture	= fullmac_capture,
	.receive	= fullmac_receive,
	.report		= fullmac_report,
	.resume		= fullmac_resume,
	.remove		= fullmac_remove,
};

static struct net_device *
fullmac_alloc_device(const struct al_radio_config *config)
{
	const char *name = config->name[0] ? config->name : "wlan%d";
	struct net_device *dev;

	dev = alloc_netdev(sizeof(struct al_fullmac), name,
			   NET_NAME_USER, fullmac_setup);
	if (!dev)
		return NULL;
	dev->tstats = netdev_alloc_pcpu_stats(struct pcpu_sw_netstats);
	if (!dev->tstats) {
		free_netdev(dev);
		return NULL;
	}
	dev_net_set(dev, config->net);
	eth_hw_addr_set(dev, config->address);
	return dev;
}

static void fullmac_set_role(struct al_fullmac *fullmac,
			     const struct al_radio_config *config)
{
	fullmac->role = config->role;
	switch ((enum al_role)config->role) {
	case AL_ROLE_ACCESS_POINT:
		ether_addr_copy(fullmac->bssid, config->address);
		break;
	case AL_ROLE_STATION:
		ether_addr_copy(fullmac->bssid, config->access_point);
		break;
	default:
		eth_broadcast_addr(fullmac->bssid);
		break;
	}
}

/* Returns an ERR_PTR() if it fails. al_mutex is held. */
struct al_radio *al_fullmac_create(const struct al_radio_config *config,
				   struct netlink_ext_ack *extack)
{
	struct net_device *dev = fullmac_alloc_device(config);
	struct al_fullmac *fullmac;
	struct al_radio *radio;
	int err;

	if (!dev)
		return ERR_PTR(-ENOMEM);
	fullmac = netdev_priv(dev);
	fullmac->dev = dev;
	fullmac_set_role(fullmac, config);

	radio = al_radio_create(config, &fullmac_front_ops, fullmac, extack);
	if (IS_ERR(radio)) {
		err = PTR_ERR(radio);
		goto free;
	}
	fullmac->radio = radio;
	err = register_netdev(dev);
	if (err) {
		NL_SET_ERR_MSG(extack,
			       "the device cannot be made; is its name free?");
		goto destroy;
	}
	return radio;

destroy:
	al_radio_destroy(radio);
free:
	free_percpu(dev->tstats);
	free_netdev(dev);
	return ERR_PTR(err);
}
