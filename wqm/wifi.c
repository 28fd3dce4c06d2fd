// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Questions to cfg80211, by nl80211. All but the setting of a limit are anybody's; what
 * the answers say is in wifi_parse.c.
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/nl80211.h>

#include "wifi.h"

static struct nlmsghdr *wifi_request(struct wqm_request *request, int family, int command,
				     int flags)
{
	struct nlmsghdr *message;
	struct genlmsghdr *head;

	message = wqm_netlink_request(request, family, flags, sizeof(*head));
	head = mnl_nlmsg_get_payload(message);
	head->cmd = command;
	head->version = 1;
	return message;
}

static int wifi_family_found(const struct nlmsghdr *message, void *data)
{
	wqm_wifi_parse_family(message, data);
	return MNL_CB_OK;
}

int wqm_wifi_open(struct wqm_wifi *wifi)
{
	struct wqm_request request;
	struct nlmsghdr *message;
	int error;

	wifi->family = 0;
	error = wqm_netlink_open(&wifi->netlink, NETLINK_GENERIC, MNL_SOCKET_AUTOPID);
	if (error)
		return error;
	message = wifi_request(&request, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0);
	mnl_attr_put_strz(message, CTRL_ATTR_FAMILY_NAME, NL80211_GENL_NAME);
	error = wqm_netlink_ask(&wifi->netlink, message, wifi_family_found, &wifi->family);
	return error == -ENOENT ? 0 : error;
}

void wqm_wifi_close(struct wqm_wifi *wifi)
{
	wqm_netlink_close(&wifi->netlink);
}

static int wifi_phy_found(const struct nlmsghdr *message, void *data)
{
	wqm_wifi_parse_phy(message, data);
	return MNL_CB_OK;
}

/* The device's phy by its number first: a dump for a wire would be one of all phys. */
int wqm_wifi_phy(struct wqm_wifi *wifi, int device_index, struct wqm_phy *phy)
{
	struct wqm_request request;
	struct nlmsghdr *message;
	int error;

	*phy = (struct wqm_phy){ .index = UINT32_MAX };
	if (!wifi->family)
		return -EOPNOTSUPP;
	message = wifi_request(&request, wifi->family, NL80211_CMD_GET_INTERFACE, 0);
	mnl_attr_put_u32(message, NL80211_ATTR_IFINDEX, device_index);
	error = wqm_netlink_ask(&wifi->netlink, message, wifi_phy_found, phy);
	/* This is how cfg80211 says that a device, if there is one, is none of its own. */
	if (error == -EINVAL || error == -ENODEV)
		return -EOPNOTSUPP;
	if (error)
		return error;
	if (phy->index == UINT32_MAX)
		return -EOPNOTSUPP;
	message = wifi_request(&request, wifi->family, NL80211_CMD_GET_WIPHY, NLM_F_DUMP);
	mnl_attr_put_u32(message, NL80211_ATTR_WIPHY, phy->index);
	mnl_attr_put(message, NL80211_ATTR_SPLIT_WIPHY_DUMP, 0, NULL);
	return wqm_netlink_ask(&wifi->netlink, message, wifi_phy_found, phy);
}

int wqm_wifi_set_txq_limit(struct wqm_wifi *wifi, uint32_t phy, uint32_t packets)
{
	struct wqm_request request;
	struct nlmsghdr *message;

	message = wifi_request(&request, wifi->family, NL80211_CMD_SET_WIPHY, 0);
	mnl_attr_put_u32(message, NL80211_ATTR_WIPHY, phy);
	mnl_attr_put_u32(message, NL80211_ATTR_TXQ_LIMIT, packets);
	return wqm_netlink_ask(&wifi->netlink, message, NULL, NULL);
}

static int wifi_dump(struct wqm_wifi *wifi, int device_index, int command, mnl_cb_t each,
		     void *data)
{
	struct wqm_request request;
	struct nlmsghdr *message;

	message = wifi_request(&request, wifi->family, command, NLM_F_DUMP);
	mnl_attr_put_u32(message, NL80211_ATTR_IFINDEX, device_index);
	return wqm_netlink_ask(&wifi->netlink, message, each, data);
}

struct wifi_stations {
	wqm_station_cb each;
	void *data;
};

static int wifi_station_found(const struct nlmsghdr *message, void *data)
{
	const struct wifi_stations *stations = data;
	struct wqm_station station;

	if (wqm_wifi_parse_station(message, &station) &&
	    !stations->each(&station, stations->data)) {
		errno = ENOMEM;
		return MNL_CB_ERROR;
	}
	return MNL_CB_OK;
}

int wqm_wifi_stations(struct wqm_wifi *wifi, int device_index, wqm_station_cb each, void *data)
{
	struct wifi_stations stations = { each, data };

	return wifi_dump(wifi, device_index, NL80211_CMD_GET_STATION, wifi_station_found,
			 &stations);
}

static int wifi_survey_found(const struct nlmsghdr *message, void *data)
{
	struct wqm_survey found, *survey = data;

	if (wqm_wifi_parse_survey(message, &found))
		*survey = found;
	return MNL_CB_OK;
}

int wqm_wifi_survey(struct wqm_wifi *wifi, int device_index, struct wqm_survey *survey)
{
	*survey = (struct wqm_survey){ 0 };
	return wifi_dump(wifi, device_index, NL80211_CMD_GET_SURVEY, wifi_survey_found, survey);
}
