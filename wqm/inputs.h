/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the policy is told of each interval, from what the kernel counts. */
#ifndef WQM_INPUTS_H
#define WQM_INPUTS_H

#include "policy.h"
#include "queue.h"
#include "stations.h"

enum wqm_rate {
	WQM_RATE_TX,		/* of the frames last sent: the paper's R */
	WQM_RATE_EXPECTED,	/* the throughput that rate control expects */
	WQM_RATE_FIXED,
};

struct wqm_inputs {
	enum wqm_rate rate;
	uint32_t fixed_kbps;
	uint64_t qdisc_sent_bytes;
	uint32_t free_permille;
	struct wqm_survey survey;
	struct wqm_stations last;
	struct wqm_stations now;
};

void wqm_inputs_init(struct wqm_inputs *inputs, enum wqm_rate rate, uint32_t fixed_kbps);

/* Since the last call. 0, or -errno; -ESTALE: wqm_queue_read(). */
int wqm_inputs_read(struct wqm_inputs *inputs, struct wqm_queue *queue,
		    struct wqm_interval *seen);

/*
 * The share of the time between two surveys in which nobody else was heard; as it was
 * if they do not tell.
 */
uint32_t wqm_survey_free(const struct wqm_survey *last, const struct wqm_survey *now,
			 uint32_t before);

#endif
