/* SPDX-License-Identifier: GPL-2.0 */
/* A radio and its statistics as a netlink message. */
#ifndef AIRLINK_STATS_NETLINK_H
#define AIRLINK_STATS_NETLINK_H

#include <linux/types.h>

struct al_radio;
struct genl_family;
struct sk_buff;

/* The message of a radio that has links to all others fits in. */
#define AL_RADIO_MESSAGE_BYTES	16384

int al_stats_put(struct sk_buff *message, const struct genl_family *family,
		 u32 portid, u32 seq, int flags, struct al_radio *radio);

#endif /* AIRLINK_STATS_NETLINK_H */
