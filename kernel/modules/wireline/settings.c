// SPDX-License-Identifier: GPL-2.0
/*
 * The knobs that a real NIC has, where a real NIC has them:
 *
 *	ethtool -s DEV speed MBPS duplex full autoneg off
 *	ethtool -G DEV tx SKBS
 *	ethtool -C DEV tx-usecs USECS tx-frames FRAMES
 *	ethtool -C DEV rx-usecs USECS rx-frames FRAMES
 *
 * tx-usecs and tx-frames say when the sender learns that frames have left: as
 * soon as the first of them has been off the wire for tx-usecs, or tx-frames of
 * them are, whichever comes first. tx-frames 0 is "any number". tx-frames 1 is
 * "each at once" and leaves tx-usecs without effect, so the two together are
 * refused. All of it is about what this end sends.
 *
 * rx-usecs and rx-frames say the same of what this end receives: when it learns
 * that frames are there. A throttle has no word in ethtool that is not a delay
 * elsewhere, see sysfs.c.
 */

#include <linux/ethtool.h>
#include <linux/netdevice.h>

#include "end.h"
#include "netdev.h"
#include "settings.h"

#define WIRELINE_DRIVER_NAME	"wireline"

static struct wireline_lane *dev_lane(struct net_device *dev)
{
	struct wireline_end *end = netdev_priv(dev);

	return &end->tx;
}

static void wireline_get_drvinfo(struct net_device *dev,
				 struct ethtool_drvinfo *info)
{
	strscpy(info->driver, WIRELINE_DRIVER_NAME, sizeof(info->driver));
}

static int wireline_get_link_ksettings(struct net_device *dev,
				       struct ethtool_link_ksettings *settings)
{
	struct wireline_lane_config config;

	wireline_lane_get_config(dev_lane(dev), &config);
	settings->base.speed = config.speed_mbps;
	settings->base.duplex = DUPLEX_FULL;
	settings->base.port = PORT_OTHER;
	settings->base.autoneg = AUTONEG_DISABLE;
	return 0;
}

static int
wireline_set_link_ksettings(struct net_device *dev,
			    const struct ethtool_link_ksettings *settings)
{
	u32 speed_mbps = settings->base.speed;
	struct wireline_lane_config config;

	if (settings->base.autoneg != AUTONEG_DISABLE ||
	    settings->base.duplex != DUPLEX_FULL ||
	    settings->base.port != PORT_OTHER ||
	    speed_mbps < WIRELINE_SPEED_MIN_MBPS ||
	    speed_mbps > WIRELINE_SPEED_MAX_MBPS)
		return -EINVAL;

	wireline_lane_get_config(dev_lane(dev), &config);
	config.speed_mbps = speed_mbps;
	wireline_lane_configure(dev_lane(dev), &config);
	return 0;
}

static void wireline_get_ringparam(struct net_device *dev,
				   struct ethtool_ringparam *ring,
				   struct kernel_ethtool_ringparam *kernel_ring,
				   struct netlink_ext_ack *extack)
{
	struct wireline_lane_config config;

	wireline_lane_get_config(dev_lane(dev), &config);
	ring->tx_max_pending = WIRELINE_RING_MAX_FRAMES;
	ring->tx_pending = config.ring_frames;
}

/* ethtool has compared the values with the maxima. */
static int wireline_set_ringparam(struct net_device *dev,
				  struct ethtool_ringparam *ring,
				  struct kernel_ethtool_ringparam *kernel_ring,
				  struct netlink_ext_ack *extack)
{
	struct wireline_lane_config config;

	if (ring->tx_pending < WIRELINE_RING_MIN_FRAMES) {
		NL_SET_ERR_MSG(extack, "tx: the ring holds at least 1");
		return -EINVAL;
	}

	wireline_lane_get_config(dev_lane(dev), &config);
	config.ring_frames = ring->tx_pending;
	wireline_lane_configure(dev_lane(dev), &config);
	return 0;
}

static int wireline_get_coalesce(struct net_device *dev,
				 struct ethtool_coalesce *coalesce,
				 struct kernel_ethtool_coalesce *kernel_coal,
				 struct netlink_ext_ack *extack)
{
	const struct wireline_end *end = netdev_priv(dev);
	struct wireline_lane_config config;

	wireline_lane_get_config(dev_lane(dev), &config);
	coalesce->tx_coalesce_usecs = config.report_usecs;
	coalesce->tx_max_coalesced_frames = config.report_frames;
	coalesce->rx_coalesce_usecs = end->moderation.usecs;
	coalesce->rx_max_coalesced_frames = end->moderation.frames;
	return 0;
}

/* Of what is sent, and of what is received. */
static int check_wait(u32 usecs, u32 frames, struct netlink_ext_ack *extack)
{
	if (usecs > WIRELINE_REPORT_MAX_USECS) {
		NL_SET_ERR_MSG(extack, "usecs: at most 10000000");
		return -EINVAL;
	}
	if (frames > WIRELINE_REPORT_MAX_FRAMES) {
		NL_SET_ERR_MSG(extack, "frames: at most 65536");
		return -EINVAL;
	}
	if (usecs && frames == 1) {
		NL_SET_ERR_MSG(extack,
			       "frames 1 is each frame at once: with usecs give frames 0 (any number) or more");
		return -EINVAL;
	}
	return 0;
}

static int wireline_set_coalesce(struct net_device *dev,
				 struct ethtool_coalesce *coalesce,
				 struct kernel_ethtool_coalesce *kernel_coal,
				 struct netlink_ext_ack *extack)
{
	u32 tx_frames = coalesce->tx_max_coalesced_frames;
	u32 rx_frames = coalesce->rx_max_coalesced_frames;
	struct wireline_end *end = netdev_priv(dev);
	struct wireline_moderation moderation = end->moderation;
	struct wireline_lane_config config;
	int err;

	err = check_wait(coalesce->tx_coalesce_usecs, tx_frames, extack);
	if (!err)
		err = check_wait(coalesce->rx_coalesce_usecs, rx_frames, extack);
	if (err)
		return err;

	wireline_lane_get_config(&end->tx, &config);
	config.report_usecs = coalesce->tx_coalesce_usecs;
	config.report_frames = tx_frames;
	wireline_lane_configure(&end->tx, &config);

	moderation.usecs = coalesce->rx_coalesce_usecs;
	moderation.frames = rx_frames;
	wireline_netdev_moderate(end, &moderation);
	return 0;
}

static const char wireline_stat_names[][ETH_GSTRING_LEN] = {
	"tx_skbs",
	"tx_skb_bytes",
	"tx_frames",
	"tx_wire_bytes",
	"tx_reported_skbs",
	"tx_reports",
	"tx_ring_full",
	"tx_ring_used",
	"tx_timer_starts",
	"tx_dropped_no_link",
	"tx_dropped_no_memory",
	"rx_skbs",
	"rx_bytes",
	"rx_dropped_length",
	"rx_dropped_error",
};

static int wireline_get_sset_count(struct net_device *dev, int set)
{
	return set == ETH_SS_STATS ? ARRAY_SIZE(wireline_stat_names) :
				     -EOPNOTSUPP;
}

static void wireline_get_strings(struct net_device *dev, u32 set, u8 *data)
{
	if (set == ETH_SS_STATS)
		memcpy(data, wireline_stat_names, sizeof(wireline_stat_names));
}

/* The values stand in the order of wireline_stat_names[]. */
static void wireline_get_ethtool_stats(struct net_device *dev,
				       struct ethtool_stats *stats, u64 *data)
{
	struct wireline_end *end = netdev_priv(dev);
	struct wireline_lane_stats tx;
	unsigned int start;
	u64 *next = data;
	u32 ring_used;

	wireline_lane_get_stats(&end->tx, &tx, &ring_used);
	*next++ = tx.skbs;
	*next++ = tx.skb_bytes;
	*next++ = tx.frames;
	*next++ = tx.wire_bytes;
	*next++ = tx.reported_skbs;
	*next++ = tx.reports;
	*next++ = tx.ring_full;
	*next++ = ring_used;
	*next++ = tx.timer_starts;
	*next++ = tx.dropped_no_link;
	*next++ = tx.dropped_no_memory;

	data = next;
	do {
		next = data;
		start = u64_stats_fetch_begin(&end->rx.sync);
		*next++ = u64_stats_read(&end->rx.skbs);
		*next++ = u64_stats_read(&end->rx.bytes);
		*next++ = u64_stats_read(&end->rx.dropped_length);
		*next++ = u64_stats_read(&end->rx.dropped_error);
	} while (u64_stats_fetch_retry(&end->rx.sync, start));
}

const struct ethtool_ops wireline_ethtool_ops = {
	.supported_coalesce_params = ETHTOOL_COALESCE_USECS |
				     ETHTOOL_COALESCE_MAX_FRAMES,
	.get_drvinfo		= wireline_get_drvinfo,
	.get_link		= ethtool_op_get_link,
	.get_link_ksettings	= wireline_get_link_ksettings,
	.set_link_ksettings	= wireline_set_link_ksettings,
	.get_ringparam		= wireline_get_ringparam,
	.set_ringparam		= wireline_set_ringparam,
	.get_coalesce		= wireline_get_coalesce,
	.set_coalesce		= wireline_set_coalesce,
	.get_sset_count		= wireline_get_sset_count,
	.get_strings		= wireline_get_strings,
	.get_ethtool_stats	= wireline_get_ethtool_stats,
	.get_ts_info		= ethtool_op_get_ts_info,
};
