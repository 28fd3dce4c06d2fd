/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One queueing discipline of a device: its statistics, and its limit; qdisc.c. */
#ifndef TSQLAB_QDISC_H
#define TSQLAB_QDISC_H

#include <linux/gen_stats.h>
#include <linux/netlink.h>
#include <stdint.h>

struct qdisc {
	int fd, ifindex;
	uint32_t handle;
};

/* Of a device, by the major number of its handle. */
struct qdisc qdisc_open(const char *device, int64_t major);
/* What the kernel says of it now, which stays until the next call. */
const struct nlmsghdr *qdisc_ask(const struct qdisc *qdisc);
/* An attribute of an answer, outside any nest, or NULL. */
const struct nlattr *qdisc_attribute(const struct nlmsghdr *answer, int type);
/* What waits in it, and what it has dropped. */
struct gnet_stats_queue qdisc_queue(const struct nlmsghdr *answer);
/* How many packets a pfifo holds. What is over a smaller limit drains. */
void qdisc_set_limit(const struct qdisc *qdisc, uint32_t packets);

#endif
