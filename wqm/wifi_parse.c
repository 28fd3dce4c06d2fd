// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is in cfg80211's answers. Nothing here asks for anything: a message is a buffer,
 * and what is not in it, or has not its length, stays zero.
 */
#include <linux/genetlink.h>
#include <linux/nl80211.h>
#include <string.h>

#include "attributes.h"
#include "wifi.h"

#define KBPS_PER_RATE_UNIT	100	/* nl80211 counts in 100 kbit/s */

bool wqm_wifi_parse_family(const struct nlmsghdr *message, uint16_t *family)
{
	const struct nlattr *attribute;
	bool found = false;

	mnl_attr_for_each(attribute, message, GENL_HDRLEN) {
		if (mnl_attr_get_type(attribute) == CTRL_ATTR_FAMILY_ID)
			found = wqm_attribute_u16(attribute, family);
	}
	return found;
}

/* A phy is dumped in parts, one of which has the limit, if there are TXQs. */
bool wqm_wifi_parse_phy(const struct nlmsghdr *message, struct wqm_phy *phy)
{
	const struct nlattr *attribute;
	bool found = false;

	mnl_attr_for_each(attribute, message, GENL_HDRLEN) {
		switch (mnl_attr_get_type(attribute)) {
		case NL80211_ATTR_WIPHY:
			found = wqm_attribute_u32(attribute, &phy->index);
			break;
		case NL80211_ATTR_TXQ_LIMIT:
			phy->has_txqs = wqm_attribute_u32(attribute,
							  &phy->txq_limit_packets);
			break;
		}
	}
	return found;
}

/* From 6.5 Gbit/s on the old attribute, of 16 bits, has no room. */
static uint32_t wifi_rate_kbps(const struct nlattr *rate)
{
	const struct nlattr *attribute;
	uint32_t units = 0;
	uint16_t old = 0;

	mnl_attr_for_each_nested(attribute, rate) {
		switch (mnl_attr_get_type(attribute)) {
		case NL80211_RATE_INFO_BITRATE32:
			wqm_attribute_u32(attribute, &units);
			break;
		case NL80211_RATE_INFO_BITRATE:
			wqm_attribute_u16(attribute, &old);
			break;
		}
	}
	if (!units)
		units = old;
	return units > UINT32_MAX / KBPS_PER_RATE_UNIT ? UINT32_MAX : units * KBPS_PER_RATE_UNIT;
}

static uint32_t wifi_txq_bytes(const struct nlattr *txq)
{
	const struct nlattr *attribute;
	uint32_t bytes = 0;

	mnl_attr_for_each_nested(attribute, txq) {
		if (mnl_attr_get_type(attribute) == NL80211_TXQ_STATS_BACKLOG_BYTES)
			wqm_attribute_u32(attribute, &bytes);
	}
	return bytes;
}

/* Each traffic identifier, and what is none, has a TXQ. */
static uint64_t wifi_backlog_bytes(const struct nlattr *tids)
{
	const struct nlattr *tid, *attribute;
	uint64_t bytes = 0;

	mnl_attr_for_each_nested(tid, tids) {
		mnl_attr_for_each_nested(attribute, tid) {
			if (mnl_attr_get_type(attribute) == NL80211_TID_STATS_TXQ_STATS)
				bytes += wifi_txq_bytes(attribute);
		}
	}
	return bytes;
}

static void wifi_station_info(const struct nlattr *info, struct wqm_station *station)
{
	const struct nlattr *attribute;
	uint64_t sent_bytes = 0;
	uint32_t sent_bytes_low = 0;

	mnl_attr_for_each_nested(attribute, info) {
		switch (mnl_attr_get_type(attribute)) {
		case NL80211_STA_INFO_TX_BITRATE:
			station->rate_kbps = wifi_rate_kbps(attribute);
			break;
		case NL80211_STA_INFO_EXPECTED_THROUGHPUT:
			wqm_attribute_u32(attribute, &station->expected_kbps);
			break;
		case NL80211_STA_INFO_TX_BYTES:
			wqm_attribute_u32(attribute, &sent_bytes_low);
			break;
		case NL80211_STA_INFO_TX_BYTES64:
			wqm_attribute_u64(attribute, &sent_bytes);
			break;
		case NL80211_STA_INFO_TID_STATS:
			station->backlog_bytes = wifi_backlog_bytes(attribute);
			break;
		}
	}
	station->sent_bytes = sent_bytes ? sent_bytes : sent_bytes_low;
}

bool wqm_wifi_parse_station(const struct nlmsghdr *message, struct wqm_station *station)
{
	const struct nlattr *attribute;
	bool found = false;

	memset(station, 0, sizeof(*station));
	mnl_attr_for_each(attribute, message, GENL_HDRLEN) {
		switch (mnl_attr_get_type(attribute)) {
		case NL80211_ATTR_MAC:
			found = wqm_attribute_copy(attribute, station->mac,
						   sizeof(station->mac));
			break;
		case NL80211_ATTR_STA_INFO:
			wifi_station_info(attribute, station);
			break;
		}
	}
	return found;
}

bool wqm_wifi_parse_survey(const struct nlmsghdr *message, struct wqm_survey *survey)
{
	const struct nlattr *outer, *attribute;
	bool in_use = false, time = false, busy = false, tx = false;

	memset(survey, 0, sizeof(*survey));
	mnl_attr_for_each(outer, message, GENL_HDRLEN) {
		if (mnl_attr_get_type(outer) != NL80211_ATTR_SURVEY_INFO)
			continue;
		mnl_attr_for_each_nested(attribute, outer) {
			switch (mnl_attr_get_type(attribute)) {
			case NL80211_SURVEY_INFO_IN_USE:
				in_use = true;
				break;
			case NL80211_SURVEY_INFO_TIME:
				time = wqm_attribute_u64(attribute, &survey->time_ms);
				break;
			case NL80211_SURVEY_INFO_TIME_BUSY:
				busy = wqm_attribute_u64(attribute, &survey->busy_ms);
				break;
			case NL80211_SURVEY_INFO_TIME_TX:
				tx = wqm_attribute_u64(attribute, &survey->tx_ms);
				break;
			}
		}
	}
	survey->known = time && busy && tx;
	return in_use;
}
