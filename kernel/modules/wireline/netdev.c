// SPDX-License-Identifier: GPL-2.0
/*
 * The net device: an ordinary single-queue Ethernet NIC to the rest of the
 * kernel.
 *
 * The link is up while both ends are. When either goes down, the other loses its
 * carrier and all frames under way, in both directions, are lost. An end whose
 * peer was deleted stays, without carrier, and can be joined to a new one.
 */

#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/netdevice.h>
#include <net/sock.h>

#include "end.h"
#include "netdev.h"
#include "receive.h"
#include "schedule_file.h"
#include "settings.h"
#include "sysfs.h"

#define WIRELINE_OFFLOADS (NETIF_F_SG | NETIF_F_HW_CSUM | NETIF_F_TSO | \
			   NETIF_F_TSO6 | NETIF_F_TSO_ECN)

/*
 * In the timer's interrupt, on the sender's side: the receiver's NAPI does the
 * work. It is enabled for as long as the lane is open.
 */
static enum hrtimer_restart lane_due(struct hrtimer *timer)
{
	struct wireline_end *end = container_of(timer, struct wireline_end,
						tx.timer);
	struct wireline_end *peer;

	rcu_read_lock();
	peer = rcu_dereference(end->peer);
	if (likely(peer))
		napi_schedule(&peer->napi);
	rcu_read_unlock();
	return HRTIMER_NORESTART;
}

static void link_up(struct wireline_end *a, struct wireline_end *b)
{
	wireline_lane_open(&a->tx);
	wireline_lane_open(&b->tx);
	netif_carrier_on(a->dev);
	netif_carrier_on(b->dev);
}

static void link_down(struct wireline_end *a, struct wireline_end *b)
{
	netif_carrier_off(a->dev);
	netif_carrier_off(b->dev);
	wireline_lane_close(&a->tx);
	wireline_lane_close(&b->tx);
}

static int wireline_init(struct net_device *dev)
{
	struct wireline_end *end = netdev_priv(dev);

	end->dev = dev;
	u64_stats_init(&end->rx.sync);
	wireline_lane_init(&end->tx, dev, lane_due);
	end->moderation.frames = 1;
	netif_napi_add(dev, &end->napi, wireline_receive_poll);
	return 0;
}

/* Called after ndo_stop. A grace period passes before @dev is freed. */
static void wireline_uninit(struct net_device *dev)
{
	struct wireline_end *end = netdev_priv(dev);
	struct wireline_end *peer = wireline_peer_rtnl(end);

	wireline_lane_schedule(&end->tx, WIRELINE_RATES, NULL);
	wireline_lane_schedule(&end->tx, WIRELINE_DELAYS, NULL);
	wireline_schedule_file_forget(end);
	if (!peer)
		return;
	RCU_INIT_POINTER(end->peer, NULL);
	RCU_INIT_POINTER(peer->peer, NULL);
}

static int wireline_open(struct net_device *dev)
{
	struct wireline_end *end = netdev_priv(dev);
	struct wireline_end *peer = wireline_peer_rtnl(end);

	napi_enable(&end->napi);
	end->running = true;
	if (peer && peer->running)
		link_up(end, peer);
	return 0;
}

static int wireline_stop(struct net_device *dev)
{
	struct wireline_end *end = netdev_priv(dev);
	struct wireline_end *peer = wireline_peer_rtnl(end);

	if (peer && peer->running)
		link_down(end, peer);
	end->running = false;
	napi_disable(&end->napi);
	return 0;
}

static netdev_tx_t wireline_start_xmit(struct sk_buff *skb,
				       struct net_device *dev)
{
	struct wireline_end *end = netdev_priv(dev);
	u8 pacing_shift = READ_ONCE(end->pacing_shift);

	if (pacing_shift)
		sk_pacing_shift_update(skb->sk, pacing_shift);
	skb_tx_timestamp(skb);
	if (unlikely(!wireline_lane_send(&end->tx, skb)))
		kfree_skb(skb);
	return NETDEV_TX_OK;
}

static void wireline_get_stats64(struct net_device *dev,
				 struct rtnl_link_stats64 *stats)
{
	struct wireline_end *end = netdev_priv(dev);
	struct wireline_lane_stats tx;
	unsigned int start;
	u32 ring_used;

	wireline_lane_get_stats(&end->tx, &tx, &ring_used);
	stats->tx_packets = tx.skbs;
	stats->tx_bytes = tx.skb_bytes;
	stats->tx_carrier_errors = tx.dropped_no_link;
	stats->tx_errors = tx.dropped_no_link;
	stats->tx_dropped = tx.dropped_no_memory;

	do {
		start = u64_stats_fetch_begin(&end->rx.sync);
		stats->rx_packets = u64_stats_read(&end->rx.skbs);
		stats->rx_bytes = u64_stats_read(&end->rx.bytes);
		stats->rx_length_errors =
			u64_stats_read(&end->rx.dropped_length);
		stats->rx_dropped = u64_stats_read(&end->rx.dropped_error);
	} while (u64_stats_fetch_retry(&end->rx.sync, start));
	stats->rx_errors = stats->rx_length_errors;
}

static int wireline_get_iflink(const struct net_device *dev)
{
	const struct wireline_end *end = netdev_priv(dev);
	const struct wireline_end *peer;
	int iflink = dev->ifindex;

	rcu_read_lock();
	peer = rcu_dereference(end->peer);
	if (peer)
		iflink = READ_ONCE(peer->dev->ifindex);
	rcu_read_unlock();
	return iflink;
}

static const struct net_device_ops wireline_netdev_ops = {
	.ndo_init		= wireline_init,
	.ndo_uninit		= wireline_uninit,
	.ndo_open		= wireline_open,
	.ndo_stop		= wireline_stop,
	.ndo_start_xmit		= wireline_start_xmit,
	.ndo_get_stats64	= wireline_get_stats64,
	.ndo_get_iflink		= wireline_get_iflink,
	.ndo_set_mac_address	= eth_mac_addr,
	.ndo_validate_addr	= eth_validate_addr,
};

void wireline_netdev_setup(struct net_device *dev)
{
	ether_setup(dev);
	dev->min_mtu = ETH_MIN_MTU;
	dev->max_mtu = ETH_MAX_MTU;
	dev->netdev_ops = &wireline_netdev_ops;
	dev->ethtool_ops = &wireline_ethtool_ops;
	dev->sysfs_groups[0] = &wireline_sysfs_group;
	dev->priv_flags |= IFF_LIVE_ADDR_CHANGE;
	/* An skb is queued and then the peer's: pktgen must not send it twice. */
	dev->priv_flags &= ~IFF_TX_SKB_SHARING;
	dev->needs_free_netdev = true;

	dev->hw_features = WIRELINE_OFFLOADS | NETIF_F_RXCSUM;
	dev->features = dev->hw_features | NETIF_F_HIGHDMA;
	dev->vlan_features = WIRELINE_OFFLOADS | NETIF_F_HIGHDMA;
}

bool wireline_netdev_is(const struct net_device *dev)
{
	return dev->netdev_ops == &wireline_netdev_ops;
}

/* Caller holds RTNL. Neither has a peer, and @a has not been opened yet. */
void wireline_netdev_join(struct wireline_end *a, struct wireline_end *b)
{
	rcu_assign_pointer(a->peer, b);
	rcu_assign_pointer(b->peer, a);
	wireline_lane_moderate(&a->tx, &b->moderation);
	wireline_lane_moderate(&b->tx, &a->moderation);
}

/* Caller holds RTNL, and has checked the values. */
void wireline_netdev_moderate(struct wireline_end *end,
			      const struct wireline_moderation *moderation)
{
	struct wireline_end *peer = wireline_peer_rtnl(end);

	end->moderation = *moderation;
	if (peer)
		wireline_lane_moderate(&peer->tx, moderation);
}
