// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The stations that a device sends to. WQM has one rate, that of the next hop: the
 * paper's nodes have one. Where there are several, the rate that counts is that of the
 * station with the most backlog, among those that were sent anything in the interval:
 * the rate of another is old. Between equals (a driver may tell no backlog) it is that
 * of the station that was sent the most.
 *
 * The backlog is that of all of them, since the limit is, too.
 */
#include <stdlib.h>
#include <string.h>

#include "stations.h"

bool wqm_stations_add(const struct wqm_station *station, void *data)
{
	struct wqm_stations *stations = data;

	if (stations->count == WQM_STATIONS_MAX)
		return false;
	stations->station[stations->count++] = *station;
	return true;
}

static int stations_order(const void *a, const void *b)
{
	const struct wqm_station *one = a, *other = b;

	return memcmp(one->mac, other->mac, sizeof(one->mac));
}

static void stations_sort(struct wqm_stations *stations)
{
	qsort(stations->station, stations->count, sizeof(stations->station[0]),
	      stations_order);
}

/* A station that is new, or that has come back, was sent all that it was ever sent. */
static uint64_t stations_sent_bytes(const struct wqm_stations *last,
				    const struct wqm_station *now)
{
	const struct wqm_station *before;

	before = bsearch(now, last->station, last->count, sizeof(last->station[0]),
			 stations_order);
	if (!before || before->sent_bytes > now->sent_bytes)
		return now->sent_bytes;
	return now->sent_bytes - before->sent_bytes;
}

struct wqm_traffic wqm_stations_compare(struct wqm_stations *last, struct wqm_stations *now,
					bool expected)
{
	uint64_t most_backlog_bytes = 0, most_sent_bytes = 0;
	struct wqm_traffic traffic = { 0 };

	stations_sort(last);
	stations_sort(now);
	for (size_t i = 0; i < now->count; i++) {
		const struct wqm_station *station = &now->station[i];
		uint64_t sent_bytes = stations_sent_bytes(last, station);
		uint64_t backlog_bytes = station->backlog_bytes;

		traffic.backlog_bytes += backlog_bytes;
		if (!sent_bytes || backlog_bytes < most_backlog_bytes ||
		    (backlog_bytes == most_backlog_bytes && sent_bytes <= most_sent_bytes))
			continue;
		traffic.sent = true;
		traffic.rate_kbps = expected ? station->expected_kbps : station->rate_kbps;
		most_backlog_bytes = backlog_bytes;
		most_sent_bytes = sent_bytes;
	}
	return traffic;
}
