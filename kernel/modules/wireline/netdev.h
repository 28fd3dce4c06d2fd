/* SPDX-License-Identifier: GPL-2.0 */
/* The network device that an end shows to the stack, and what it sends. */
#ifndef WIRELINE_NETDEV_H
#define WIRELINE_NETDEV_H

#include <linux/types.h>

struct net_device;
struct wireline_end;
struct wireline_moderation;

void wireline_netdev_setup(struct net_device *dev);
bool wireline_netdev_is(const struct net_device *dev);
void wireline_netdev_join(struct wireline_end *a, struct wireline_end *b);
void wireline_netdev_moderate(struct wireline_end *end,
			      const struct wireline_moderation *moderation);

#endif /* WIRELINE_NETDEV_H */
