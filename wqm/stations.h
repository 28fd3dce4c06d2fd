/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stations that a device sends to, and what they have been sent. */
#ifndef WQM_STATIONS_H
#define WQM_STATIONS_H

#include <stddef.h>

#include "wifi.h"

/* 802.11 has 2007 association identifiers; a mesh or an IBSS has fewer stations. */
#define WQM_STATIONS_MAX	2007

struct wqm_stations {
	size_t count;
	struct wqm_station station[WQM_STATIONS_MAX];
};

/* What became of the stations between two looks at them. */
struct wqm_traffic {
	bool sent;
	uint32_t rate_kbps;	/* 0: not known */
	uint64_t backlog_bytes;
};

/* A wqm_station_cb, whose data are stations. */
bool wqm_stations_add(const struct wqm_station *station, void *data);

/* Both are sorted; `expected` takes the expected throughput for the rate. */
struct wqm_traffic wqm_stations_compare(struct wqm_stations *last, struct wqm_stations *now,
					bool expected);

#endif
