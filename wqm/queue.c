// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The queue of which wqm sets the limit.
 *
 *	txq	mac80211's queues of each station and traffic identifier. They have one
 *		limit for the whole phy, over which packets of the longest flow are
 *		dropped, from the head. A qdisc over them is passed by: mac80211 takes
 *		every packet at once.
 *	qdisc	the root of any other device, if it is of a kind with a limit.
 *
 * Both take a new limit without losing what waits, but for codel's and fq_codel's
 * excess.
 */
#include <err.h>
#include <errno.h>
#include <string.h>

#include "queue.h"

/* Above the numbers of processes, which the kernel gives as ports, and below its others. */
#define CLAIM_PORTS	(1U << 30)

static const char queue_advice[] = "tc qdisc replace dev %s root handle 1: pfifo limit 1000";

static bool queue_refuse_qdisc(const struct wqm_queue *queue, const char *what)
{
	char command[128];

	snprintf(command, sizeof(command), queue_advice, queue->device);
	warnx("%s: %s; its root has to be pfifo, bfifo, codel or fq_codel, made by hand; try: %s",
	      queue->device, what, command);
	return false;
}

static bool queue_open_qdisc(struct wqm_queue *queue)
{
	int error = wqm_qdisc_read(&queue->kernel->route, queue->device_index, &queue->qdisc);
	char what[128];

	if (error == -ENOENT)
		return queue_refuse_qdisc(queue, "it has no qdisc");
	if (error) {
		warnx("%s: its qdisc cannot be read: %s", queue->device,
		      wqm_netlink_why(&queue->kernel->route, error));
		return false;
	}
	snprintf(what, sizeof(what), "its root is %s, %s", queue->qdisc.kind,
		 queue->qdisc.sizable ? "which the kernel has made and nobody can change" :
					"whose limit wqm cannot set");
	if (!queue->qdisc.sizable || !queue->qdisc.handle)
		return queue_refuse_qdisc(queue, what);
	queue->actuator = WQM_QDISC;
	return true;
}

static bool queue_open_txq(struct wqm_queue *queue)
{
	if (!queue->phy.has_txqs) {
		warnx("%s: it has no TXQs, which are mac80211's, of drivers that use them; "
		      "try: --actuator qdisc", queue->device);
		return false;
	}
	queue->actuator = WQM_TXQ;
	return true;
}

bool wqm_queue_open(struct wqm_queue *queue, struct wqm_kernel *kernel, const char *device,
		    enum wqm_actuator actuator, bool rate_given)
{
	int error;

	*queue = (struct wqm_queue){ .kernel = kernel, .device = device };
	queue->device_index = wqm_link_index(&kernel->route, device);
	if (queue->device_index < 0) {
		warnx("%s: %s; `ip link` names the devices", device,
		      strerror(-queue->device_index));
		return false;
	}
	error = wqm_wifi_phy(&kernel->wifi, queue->device_index, &queue->phy);
	if (error && error != -EOPNOTSUPP) {
		warnx("%s: its phy cannot be read: %s", device,
		      wqm_netlink_why(&kernel->wifi.netlink, error));
		return false;
	}
	queue->wireless = !error;
	if (!queue->wireless && !rate_given) {
		warnx("%s: it is no Wi-Fi device of cfg80211, so nobody says its rate; give it, as "
		      "in --rate 65Mbit", device);
		return false;
	}
	if (actuator == WQM_TXQ || (actuator == WQM_AUTO && queue->phy.has_txqs))
		return queue_open_txq(queue);
	return queue_open_qdisc(queue);
}

static bool queue_same_qdisc(const struct wqm_qdisc *qdisc, const char *kind, uint32_t handle)
{
	return qdisc->sizable && qdisc->handle == handle && !strcmp(qdisc->kind, kind);
}

int wqm_queue_read(struct wqm_queue *queue)
{
	struct wqm_qdisc found;
	int error;

	if (queue->actuator == WQM_TXQ)
		return 0;
	error = wqm_qdisc_read(&queue->kernel->route, queue->device_index, &found);
	if (error == -ENOENT)
		return -ESTALE;
	if (error)
		return error;
	if (!queue_same_qdisc(&found, queue->qdisc.kind, queue->qdisc.handle))
		return -ESTALE;
	queue->qdisc = found;
	return 0;
}

int wqm_queue_set(struct wqm_queue *queue, uint32_t packets)
{
	struct wqm_kernel *kernel = queue->kernel;

	if (queue->actuator == WQM_TXQ)
		return wqm_wifi_set_txq_limit(&kernel->wifi, queue->phy.index, packets);
	return wqm_qdisc_set(&kernel->route, &queue->qdisc,
			     wqm_qdisc_units(&queue->qdisc, packets));
}

struct wqm_old_limit wqm_queue_old_limit(const struct wqm_queue *queue)
{
	struct wqm_old_limit old = { .actuator = queue->actuator };

	if (queue->actuator == WQM_TXQ) {
		old.phy = queue->phy.index;
		old.limit = queue->phy.txq_limit_packets;
		return old;
	}
	old.device_index = queue->device_index;
	memcpy(old.kind, queue->qdisc.kind, sizeof(old.kind));
	old.handle = queue->qdisc.handle;
	old.limit = queue->qdisc.limit;
	return old;
}

/*
 * Of two sockets with one port in a network the kernel refuses the second: so two devices
 * of a phy, or a service and somebody by hand, cannot have a queue each for their own,
 * wherever they keep its old limit. A lock on a file would need one place that both may
 * write to.
 */
int wqm_queue_claim(struct wqm_netlink *claim, const struct wqm_old_limit *of)
{
	if (of->actuator == WQM_TXQ)
		return wqm_netlink_open(claim, NETLINK_GENERIC, CLAIM_PORTS | of->phy);
	return wqm_netlink_open(claim, NETLINK_ROUTE, CLAIM_PORTS | of->device_index);
}

bool wqm_queue_same(const struct wqm_old_limit *one, const struct wqm_old_limit *other)
{
	return one->actuator == other->actuator && one->phy == other->phy &&
	       one->device_index == other->device_index;
}

int wqm_queue_put_back(struct wqm_kernel *kernel, const struct wqm_old_limit *old)
{
	struct wqm_qdisc found;
	int error;

	if (old->actuator == WQM_TXQ) {
		error = wqm_wifi_set_txq_limit(&kernel->wifi, old->phy, old->limit);
		return error == -ENODEV ? -ESTALE : error;
	}
	error = wqm_qdisc_read(&kernel->route, old->device_index, &found);
	if (error == -ENODEV || error == -ENOENT)
		return -ESTALE;
	if (error)
		return error;
	if (!queue_same_qdisc(&found, old->kind, old->handle))
		return -ESTALE;
	return wqm_qdisc_set(&kernel->route, &found, old->limit);
}

const char *wqm_queue_why(const struct wqm_kernel *kernel, enum wqm_actuator actuator, int error)
{
	if (error == -ESTALE)
		return "it is another queue by now";
	return wqm_netlink_why(actuator == WQM_TXQ ? &kernel->wifi.netlink : &kernel->route,
			       error);
}

const char *wqm_queue_name(const struct wqm_queue *queue)
{
	return queue->actuator == WQM_TXQ ? "TXQs" : queue->qdisc.kind;
}

const char *wqm_queue_unit(const struct wqm_queue *queue)
{
	return queue->actuator == WQM_QDISC && !strcmp(queue->qdisc.kind, "bfifo") ? "bytes" :
										     "packets";
}
