/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What cfg80211 says of a device, its stations, its channel and its phy. */
#ifndef WQM_WIFI_H
#define WQM_WIFI_H

#include <stdbool.h>
#include <stdint.h>

#include "netlink.h"

#define WQM_MAC_BYTES	6

struct wqm_wifi {
	struct wqm_netlink netlink;
	uint16_t family;	/* 0: this kernel has no cfg80211 */
};

/* A rate that is 0 is not known. */
struct wqm_station {
	uint8_t mac[WQM_MAC_BYTES];
	uint32_t rate_kbps;
	uint32_t expected_kbps;
	uint64_t sent_bytes;
	uint64_t backlog_bytes;	/* of all its TXQs */
};

/* Of the channel in use, since the driver began to count. */
struct wqm_survey {
	bool known;		/* all three are */
	uint64_t time_ms;
	uint64_t busy_ms;
	uint64_t tx_ms;
};

struct wqm_phy {
	uint32_t index;
	bool has_txqs;
	uint32_t txq_limit_packets;
};

/* Each returns 0 or -errno. */
int wqm_wifi_open(struct wqm_wifi *wifi);
void wqm_wifi_close(struct wqm_wifi *wifi);

/* The phy of a device; -EOPNOTSUPP if it is not of cfg80211. */
int wqm_wifi_phy(struct wqm_wifi *wifi, int device_index, struct wqm_phy *phy);

int wqm_wifi_set_txq_limit(struct wqm_wifi *wifi, uint32_t phy, uint32_t packets);

/* Gives each station to `each`, which is false when it has no room for more. */
typedef bool (*wqm_station_cb)(const struct wqm_station *station, void *data);
int wqm_wifi_stations(struct wqm_wifi *wifi, int device_index, wqm_station_cb each,
		      void *data);

int wqm_wifi_survey(struct wqm_wifi *wifi, int device_index, struct wqm_survey *survey);

/* The answers; false if they have not what they are for. */
bool wqm_wifi_parse_family(const struct nlmsghdr *message, uint16_t *family);
bool wqm_wifi_parse_phy(const struct nlmsghdr *message, struct wqm_phy *phy);
bool wqm_wifi_parse_station(const struct nlmsghdr *message, struct wqm_station *station);
bool wqm_wifi_parse_survey(const struct nlmsghdr *message, struct wqm_survey *survey);

#endif
