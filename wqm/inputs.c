// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the policy is told of each interval.
 *
 *	rate	of the station that counts (stations.c), or given by the user
 *	backlog	the qdisc's; with TXQs, that of all stations. What is for everybody
 *		(multicast) waits in another TXQ, which the kernel tells of elsewhere, and
 *		is not counted.
 *	free	from the survey of the channel: our own sending does not count as busy, or
 *		a queue that sends all the time would seem to have no air. Where a driver
 *		does not say how long it has sent, the channel counts as free.
 *	sent	whether the stations, or the qdisc, were done with any bytes
 *
 * A device that is asleep or down has no stations, or nothing of them has changed: then
 * nothing was sent.
 */
#include <errno.h>
#include <string.h>

#include "inputs.h"

void wqm_inputs_init(struct wqm_inputs *inputs, enum wqm_rate rate, uint32_t fixed_kbps)
{
	memset(inputs, 0, sizeof(*inputs));
	inputs->rate = rate;
	inputs->fixed_kbps = fixed_kbps;
	inputs->free_permille = WQM_PERMILLE;
}

uint32_t wqm_survey_free(const struct wqm_survey *last, const struct wqm_survey *now,
			 uint32_t before)
{
	uint64_t time_ms;

	/* Counters start anew when the channel or the driver does. */
	if (!last->known || !now->known || now->time_ms <= last->time_ms ||
	    now->busy_ms < last->busy_ms || now->tx_ms < last->tx_ms)
		return before;
	time_ms = now->time_ms - last->time_ms;
	if (time_ms > UINT64_MAX / WQM_PERMILLE)
		return before;
	return wqm_free_permille(time_ms, now->busy_ms - last->busy_ms, now->tx_ms - last->tx_ms);
}

static int inputs_stations(struct wqm_inputs *inputs, struct wqm_queue *queue,
			   struct wqm_traffic *traffic)
{
	int error;

	inputs->now.count = 0;
	error = wqm_wifi_stations(&queue->kernel->wifi, queue->device_index, wqm_stations_add,
				  &inputs->now);
	if (error == -EOPNOTSUPP || error == -ENETDOWN)
		inputs->now.count = 0;
	else if (error)
		return error;
	*traffic = wqm_stations_compare(&inputs->last, &inputs->now,
					inputs->rate == WQM_RATE_EXPECTED);
	inputs->last = inputs->now;
	return 0;
}

/* A driver without a survey, or a device without a channel, is no error. */
static void inputs_survey(struct wqm_inputs *inputs, struct wqm_queue *queue)
{
	struct wqm_survey survey;

	if (wqm_wifi_survey(&queue->kernel->wifi, queue->device_index, &survey))
		return;
	inputs->free_permille = wqm_survey_free(&inputs->survey, &survey,
						inputs->free_permille);
	inputs->survey = survey;
}

int wqm_inputs_read(struct wqm_inputs *inputs, struct wqm_queue *queue,
		    struct wqm_interval *seen)
{
	struct wqm_traffic traffic = { 0 };
	int error;

	error = wqm_queue_read(queue);
	if (error)
		return error;
	if (queue->wireless) {
		error = inputs_stations(inputs, queue, &traffic);
		if (error)
			return error;
		inputs_survey(inputs, queue);
	}
	if (queue->actuator == WQM_QDISC) {
		traffic.backlog_bytes = queue->qdisc.backlog_bytes;
		traffic.sent = queue->qdisc.sent_bytes != inputs->qdisc_sent_bytes;
		inputs->qdisc_sent_bytes = queue->qdisc.sent_bytes;
	}
	*seen = (struct wqm_interval){
		.rate_kbps = inputs->rate == WQM_RATE_FIXED ? inputs->fixed_kbps :
							      traffic.rate_kbps,
		.backlog_bytes = traffic.backlog_bytes > UINT32_MAX ? UINT32_MAX :
								      traffic.backlog_bytes,
		.free_permille = inputs->free_permille,
		.sent = traffic.sent,
	};
	return 0;
}
