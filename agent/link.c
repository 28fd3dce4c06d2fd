// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Waiting for a device's link: an access point has one as soon as it sends
 * beacons, which is when hostapd, in the background, has looked at the channel.
 */
#include <linux/ethtool.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent.h"

#define LOOK_NSEC	(NSEC_PER_SEC / 10)
#define WAIT_NSEC	(5 * NSEC_PER_SEC)

static bool has_link(int fd, const char *device)
{
	uint32_t link = 0;

	if (!ethtool_value(fd, device, ETHTOOL_GLINK, &link))
		die_errno("cannot tell whether %s has a link", device);
	return link;
}

void wait_for_link(const char *node, const char *device)
{
	int64_t until_ns = now_ns() + WAIT_NSEC;
	int fd;

	visit_node(node);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		die_errno("no socket to ask for a link");
	while (!has_link(fd, device)) {
		if (now_ns() > until_ns)
			die("%s has no link after %lld s", device, WAIT_NSEC / NSEC_PER_SEC);
		sleep_until_multiple(LOOK_NSEC);
	}
	close(fd);
	leave_node();
}
