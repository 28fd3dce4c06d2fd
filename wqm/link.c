// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Devices by their names and indices. if_nametoindex() would need a socket of another
 * family than netlink's, which the service's sandbox refuses.
 */
#include <errno.h>
#include <linux/rtnetlink.h>

#include "link.h"

static int link_found(const struct nlmsghdr *message, void *data)
{
	const struct ifinfomsg *head = mnl_nlmsg_get_payload(message);

	if (message->nlmsg_type == RTM_NEWLINK &&
	    mnl_nlmsg_get_payload_len(message) >= sizeof(*head))
		*(int *)data = head->ifi_index;
	return MNL_CB_OK;
}

static int link_ask(struct wqm_netlink *route, const char *name, int device_index)
{
	struct wqm_request request;
	struct nlmsghdr *message;
	struct ifinfomsg *head;
	int error, found = 0;

	message = wqm_netlink_request(&request, RTM_GETLINK, 0, sizeof(*head));
	head = mnl_nlmsg_get_payload(message);
	head->ifi_index = device_index;
	if (name)
		mnl_attr_put_strz(message, IFLA_IFNAME, name);
	error = wqm_netlink_ask(route, message, link_found, &found);
	if (error)
		return error;
	return found > 0 ? found : -ENODEV;
}

int wqm_link_index(struct wqm_netlink *route, const char *name)
{
	return link_ask(route, name, 0);
}

int wqm_link_check(struct wqm_netlink *route, int device_index)
{
	int found = link_ask(route, NULL, device_index);

	return found < 0 ? found : 0;
}
