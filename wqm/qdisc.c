// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The qdisc at the root of a device: its backlog, and its limit, which is changed as
 * `tc qdisc change` does. It is never changed by txqueuelen: for that the kernel, since
 * "net_sched: plug in qdisc ops change_tx_queue_len" (in v4.16), deactivates the device,
 * which empties its queues.
 *
 *	pfifo		over its new limit, it takes nothing until it has drained
 *	bfifo		likewise, in bytes
 *	codel, fq_codel	drop at once what is over the new limit
 */
#include <errno.h>
#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <stddef.h>
#include <string.h>

#include "attributes.h"
#include "link.h"
#include "qdisc.h"

/* The fifos' options are a struct; the others' are attributes, of which one is it. */
static const struct qdisc_kind {
	const char *name;
	uint16_t limit_attribute;	/* 0: a struct tc_fifo_qopt */
} qdisc_kinds[] = {
	{ "pfifo", 0 },
	{ "bfifo", 0 },
	{ "codel", TCA_CODEL_LIMIT },
	{ "fq_codel", TCA_FQ_CODEL_LIMIT },
};

static const struct qdisc_kind *qdisc_kind(const char *name)
{
	for (size_t i = 0; i < MNL_ARRAY_SIZE(qdisc_kinds); i++)
		if (!strcmp(qdisc_kinds[i].name, name))
			return &qdisc_kinds[i];
	return NULL;
}

static bool qdisc_limit(const struct qdisc_kind *kind, const struct nlattr *options,
			uint32_t *limit)
{
	const struct nlattr *attribute;
	bool found = false;

	if (!kind->limit_attribute)
		return wqm_attribute_u32(options, limit);
	mnl_attr_for_each_nested(attribute, options) {
		if (mnl_attr_get_type(attribute) == kind->limit_attribute)
			found = wqm_attribute_u32(attribute, limit);
	}
	return found;
}

/* A short queue's statistics, as those of an older kernel, count as far as they go. */
static void qdisc_statistics(const struct nlattr *statistics, struct wqm_qdisc *qdisc)
{
	struct gnet_stats_queue queue;
	const struct nlattr *attribute;

	mnl_attr_for_each_nested(attribute, statistics) {
		size_t head = offsetof(struct gnet_stats_queue, drops);

		switch (mnl_attr_get_type(attribute)) {
		case TCA_STATS_QUEUE:
			if (wqm_attribute_copy(attribute, &queue, head))
				qdisc->backlog_bytes = queue.backlog;
			break;
		case TCA_STATS_BASIC:
			wqm_attribute_u64(attribute, &qdisc->sent_bytes);
			break;
		}
	}
}

bool wqm_qdisc_parse(const struct nlmsghdr *message, struct wqm_qdisc *qdisc)
{
	const struct tcmsg *head = mnl_nlmsg_get_payload(message);
	const struct nlattr *attribute, *options = NULL;
	const struct qdisc_kind *kind;

	memset(qdisc, 0, sizeof(*qdisc));
	if (message->nlmsg_type != RTM_NEWQDISC ||
	    mnl_nlmsg_get_payload_len(message) < sizeof(*head))
		return false;
	qdisc->device_index = head->tcm_ifindex;
	qdisc->root = head->tcm_parent == TC_H_ROOT;
	qdisc->handle = head->tcm_handle;
	mnl_attr_for_each(attribute, message, sizeof(*head)) {
		switch (mnl_attr_get_type(attribute)) {
		case TCA_KIND:
			wqm_attribute_text(attribute, qdisc->kind, sizeof(qdisc->kind));
			break;
		case TCA_OPTIONS:
			options = attribute;
			break;
		case TCA_STATS2:
			qdisc_statistics(attribute, qdisc);
			break;
		}
	}
	kind = qdisc_kind(qdisc->kind);
	qdisc->sizable = kind && options && qdisc_limit(kind, options, &qdisc->limit);
	return qdisc->kind[0];
}

static int qdisc_found(const struct nlmsghdr *message, void *data)
{
	struct wqm_qdisc found, *qdisc = data;

	if (wqm_qdisc_parse(message, &found) && found.root &&
	    found.device_index == qdisc->device_index)
		*qdisc = found;
	return MNL_CB_OK;
}

/*
 * A dump of all devices' qdiscs: the kernel would tell everybody who monitors qdiscs
 * of a question about a single one, too.
 */
int wqm_qdisc_read(struct wqm_netlink *route, int device_index, struct wqm_qdisc *qdisc)
{
	struct wqm_request request;
	struct nlmsghdr *message;
	int error;

	*qdisc = (struct wqm_qdisc){ .device_index = device_index };
	message = wqm_netlink_request(&request, RTM_GETQDISC, NLM_F_DUMP,
				      sizeof(struct tcmsg));
	error = wqm_netlink_ask(route, message, qdisc_found, qdisc);
	if (error || qdisc->kind[0])
		return error;
	error = wqm_link_check(route, device_index);
	return error ? error : -ENOENT;
}

int wqm_qdisc_set(struct wqm_netlink *route, const struct wqm_qdisc *qdisc, uint32_t limit)
{
	const struct qdisc_kind *kind = qdisc_kind(qdisc->kind);
	struct tc_fifo_qopt fifo = { .limit = limit };
	struct wqm_request request;
	struct nlmsghdr *message;
	struct nlattr *options;
	struct tcmsg *head;

	if (!kind)
		return -EINVAL;
	/* Neither NLM_F_CREATE nor NLM_F_REPLACE: a change of the one that is there. */
	message = wqm_netlink_request(&request, RTM_NEWQDISC, 0, sizeof(struct tcmsg));
	head = mnl_nlmsg_get_payload(message);
	head->tcm_ifindex = qdisc->device_index;
	head->tcm_parent = TC_H_ROOT;
	head->tcm_handle = qdisc->handle;
	mnl_attr_put_strz(message, TCA_KIND, qdisc->kind);
	if (kind->limit_attribute) {
		options = mnl_attr_nest_start(message, TCA_OPTIONS);
		mnl_attr_put_u32(message, kind->limit_attribute, limit);
		mnl_attr_nest_end(message, options);
	} else {
		mnl_attr_put(message, TCA_OPTIONS, sizeof(fifo), &fifo);
	}
	return wqm_netlink_ask(route, message, NULL, NULL);
}

uint32_t wqm_qdisc_units(const struct wqm_qdisc *qdisc, uint32_t packets)
{
	return strcmp(qdisc->kind, "bfifo") ? packets : packets * WQM_FRAME_BYTES;
}
