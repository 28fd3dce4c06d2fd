// SPDX-License-Identifier: GPL-2.0
/* A radio and what it has counted, as AIRLINK_STATS_* of uapi.h. */

#include <net/genetlink.h>

#include "netlink/stats.h"
#include "netlink/uapi.h"
#include "radio/radio.h"

static u64 stats_list_length(const struct list_head *list)
{
	const struct list_head *node;
	u64 length = 0;

	list_for_each(node, list)
		length++;
	return length;
}

static int stats_put_counters(struct sk_buff *message,
			      const struct al_radio *radio)
{
	const struct al_stats *stats = &radio->stats;
	const struct al_host *host = &radio->host;
	const u64 values[] = {
		[AIRLINK_STATS_PPDUS] = stats->ppdus,
		[AIRLINK_STATS_PPDUS_FAILED] = stats->ppdus_failed,
		[AIRLINK_STATS_SUBFRAMES] = stats->subframes,
		[AIRLINK_STATS_FRAMES_ACKED] = stats->frames_acked,
		[AIRLINK_STATS_FRAMES_RETRIED] = stats->frames_retried,
		[AIRLINK_STATS_FRAMES_DROPPED] = stats->frames_dropped,
		[AIRLINK_STATS_BYTES_ACKED] = stats->bytes_acked,
		[AIRLINK_STATS_FRAMES_RECEIVED] = stats->frames_received,
		[AIRLINK_STATS_RTS] = stats->rts,
		[AIRLINK_STATS_TX_NS] = stats->tx_ns,
		[AIRLINK_STATS_BUSY_NS] = stats->busy_ns,
		[AIRLINK_STATS_HOST_FRAMES] = host->frames,
		[AIRLINK_STATS_BUS_FRAMES] = stats_list_length(&host->waiting) +
					     stats_list_length(&host->bus),
		[AIRLINK_STATS_DEVICE_FRAMES] = host->device_frames,
	};
	unsigned int attribute;

	for (attribute = AIRLINK_STATS_PPDUS; attribute < ARRAY_SIZE(values);
	     attribute++)
		if (nla_put_u64_64bit(message, attribute, values[attribute],
				      AIRLINK_STATS_PAD))
			return -EMSGSIZE;
	return nla_put_64bit(message, AIRLINK_STATS_SUBFRAMES_OF,
			     sizeof(stats->subframes_of), stats->subframes_of,
			     AIRLINK_STATS_PAD);
}

static int stats_put_link(struct sk_buff *message, const struct al_link *link,
			  int number)
{
	struct nlattr *nest = nla_nest_start(message, number);
	u8 address[ETH_ALEN];

	if (!nest)
		return -EMSGSIZE;
	if (link->to)
		ether_addr_copy(address, link->to->address);
	else
		eth_broadcast_addr(address);
	if (nla_put(message, AIRLINK_LINK_ADDRESS, ETH_ALEN, address) ||
	    nla_put_u64_64bit(message, AIRLINK_LINK_AIRTIME_NS,
			      link->airtime_ns, AIRLINK_LINK_PAD))
		return -EMSGSIZE;
	nla_nest_end(message, nest);
	return 0;
}

static int stats_put_links(struct sk_buff *message,
			   const struct al_radio *radio)
{
	struct nlattr *nest = nla_nest_start(message, AIRLINK_STATS_LINKS);
	unsigned int index;
	int number = 0;

	if (!nest)
		return -EMSGSIZE;
	for_each_set_bit(index, radio->medium->indices, AL_RADIOS_MAX)
		if (radio->link_to[index] &&
		    stats_put_link(message, radio->link_to[index], ++number))
			return -EMSGSIZE;
	if (radio->link_to_all &&
	    stats_put_link(message, radio->link_to_all, ++number))
		return -EMSGSIZE;
	nla_nest_end(message, nest);
	return 0;
}

static int stats_put_radio(struct sk_buff *message, struct al_radio *radio)
{
	struct nlattr *nest;
	int err;

	if (nla_put_u32(message, AIRLINK_ATTR_MEDIUM, radio->medium->id) ||
	    nla_put(message, AIRLINK_ATTR_ADDRESS, ETH_ALEN, radio->address))
		return -EMSGSIZE;
	nest = nla_nest_start(message, AIRLINK_ATTR_STATS);
	if (!nest)
		return -EMSGSIZE;
	spin_lock_bh(&radio->medium->lock);
	err = stats_put_counters(message, radio);
	if (!err)
		err = stats_put_links(message, radio);
	spin_unlock_bh(&radio->medium->lock);
	nla_nest_end(message, nest);
	return err;
}

/* Adds the whole message of @radio, or nothing and returns -EMSGSIZE. */
int al_stats_put(struct sk_buff *message, const struct genl_family *family,
		 u32 portid, u32 seq, int flags, struct al_radio *radio)
{
	void *header = genlmsg_put(message, portid, seq, family, flags,
				   AIRLINK_CMD_GET_RADIO);

	if (!header)
		return -EMSGSIZE;
	if (stats_put_radio(message, radio)) {
		genlmsg_cancel(message, header);
		return -EMSGSIZE;
	}
	genlmsg_end(message, header);
	return 0;
}
