// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One queueing discipline: asked and set, and its statistics over time.
 *
 *   qdisc NODE ID DEVICE MAJOR
 *
 * MAJOR is the major number of its handle. Each step sends one RTM_GETQDISC for
 * this qdisc alone, because a dump of all would take more system calls.
 */
#include <errno.h>
#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent.h"
#include "attribute.h"
#include "qdisc.h"

#define ANSWER_BYTES	16384
#define COLUMNS "t_ns\tsent_bytes\tsent_packets\tbacklog_bytes\tbacklog_packets\t" \
	"drops\toverlimits\tmarks"

/*
 * The members of a qdisc's extended statistics (TCA_STATS_APP) that count marked
 * packets, by the kind of qdisc: of CoDel also those above its ce_threshold. Cake
 * counts in another way; all others, which are not here, do not mark.
 */
#define MARKS(kind, type, member)						\
	{ kind, offsetof(type, member), sizeof(((type *)NULL)->member) }

static const struct {
	const char *kind;
	size_t offset, bytes;
} mark_counters[] = {
	MARKS("fq_codel", struct tc_fq_codel_xstats, qdisc_stats.ecn_mark),
	MARKS("fq_codel", struct tc_fq_codel_xstats, qdisc_stats.ce_mark),
	MARKS("codel", struct tc_codel_xstats, ecn_mark),
	MARKS("codel", struct tc_codel_xstats, ce_mark),
	MARKS("pie", struct tc_pie_xstats, ecn_mark),
	MARKS("fq_pie", struct tc_fq_pie_xstats, ecn_mark),
	MARKS("fq", struct tc_fq_qd_stats, ce_mark),
	MARKS("red", struct tc_red_xstats, marked),
};

/* Cake counts marks by tin, in nests that are numbered from 1. */
static int64_t cake_marks(const struct nlattr *xstats)
{
	const struct nlattr *tins = attribute_in_nest(xstats, TCA_CAKE_STATS_TIN_STATS);
	const struct nlattr *tin;
	int64_t marks = 0;
	int number;

	for (number = 1; (tin = attribute_in_nest(tins, number)); number++) {
		uint32_t tin_marks;

		attribute_copy(&tin_marks, sizeof(tin_marks),
			       attribute_in_nest(tin, TCA_CAKE_TIN_STATS_ECN_MARKED_PACKETS));
		marks += tin_marks;
	}
	return marks;
}

/* A counter of 32 or 64 bits. x86 is little-endian, so either fills the low end. */
static int64_t counter_in(const struct nlattr *xstats, size_t offset, size_t bytes)
{
	int64_t counter = 0;

	if (xstats && attribute_bytes(xstats) >= offset + bytes)
		memcpy(&counter, (const char *)attribute_payload(xstats) + offset, bytes);
	return counter;
}

static int64_t marks_of(const char *kind, const struct nlattr *xstats)
{
	int64_t marks = 0;
	size_t row;

	if (!strcmp(kind, "cake"))
		return cake_marks(xstats);
	for (row = 0; row < sizeof(mark_counters) / sizeof(*mark_counters); row++)
		if (!strcmp(kind, mark_counters[row].kind))
			marks += counter_in(xstats, mark_counters[row].offset,
					    mark_counters[row].bytes);
	return marks;
}

struct qdisc qdisc_open(const char *device, int64_t major)
{
	struct qdisc qdisc = {
		.fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE),
		.ifindex = if_nametoindex(device),
		.handle = major << 16,
	};

	if (!qdisc.ifindex || qdisc.fd < 0)
		die_errno("cannot watch the qdisc of %s", device);
	return qdisc;
}

const struct nlattr *qdisc_attribute(const struct nlmsghdr *answer, int type)
{
	const struct tcmsg *tc = NLMSG_DATA(answer);
	const void *attributes = (const char *)tc + NLMSG_ALIGN(sizeof(*tc));

	return attribute_in(attributes, NLMSG_PAYLOAD(answer, sizeof(*tc)), type);
}

struct gnet_stats_queue qdisc_queue(const struct nlmsghdr *answer)
{
	const struct nlattr *stats = qdisc_attribute(answer, TCA_STATS2);
	struct gnet_stats_queue queue;

	attribute_copy(&queue, sizeof(queue), attribute_in_nest(stats, TCA_STATS_QUEUE));
	return queue;
}

static void note_qdisc(struct series *series, const struct nlmsghdr *answer, int64_t t_ns)
{
	const struct nlattr *kind = qdisc_attribute(answer, TCA_KIND);
	const struct nlattr *stats = qdisc_attribute(answer, TCA_STATS2);
	struct gnet_stats_queue queue = qdisc_queue(answer);
	struct gnet_stats_basic basic;

	attribute_copy(&basic, sizeof(basic), attribute_in_nest(stats, TCA_STATS_BASIC));
	series_row(series, (int64_t[]){
		t_ns, basic.bytes, basic.packets, queue.backlog, queue.qlen,
		queue.drops, queue.overlimits,
		marks_of(attribute_payload(kind), attribute_in_nest(stats, TCA_STATS_APP)),
	});
}

/* What the kernel answers to a message of so many bytes. */
static const struct nlmsghdr *answer_to(const struct qdisc *qdisc, const void *request,
					size_t bytes)
{
	static char answer[ANSWER_BYTES] __attribute__((aligned(NLMSG_ALIGNTO)));
	const struct nlmsghdr *message = (void *)answer;
	ssize_t length;

	if (send(qdisc->fd, request, bytes, 0) != (ssize_t)bytes)
		die_errno("cannot ask for a qdisc");
	length = recv(qdisc->fd, answer, sizeof(answer), 0);
	if (length < 0)
		die_errno("cannot read a qdisc");
	if (!NLMSG_OK(message, (size_t)length))
		die("the kernel's answer about the qdisc %x: is cut short",
		    qdisc->handle >> 16);
	return message;
}

const struct nlmsghdr *qdisc_ask(const struct qdisc *qdisc)
{
	struct {
		struct nlmsghdr header;
		struct tcmsg tc;
	} request = {
		.header = {
			.nlmsg_len = sizeof(request),
			.nlmsg_type = RTM_GETQDISC,
			/* Without ECHO, kernels before 6.8 answer to listeners only. */
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_ECHO,
		},
		.tc = {
			.tcm_family = AF_UNSPEC,
			.tcm_ifindex = qdisc->ifindex,
			.tcm_handle = qdisc->handle,
		},
	};
	const struct nlmsghdr *answer = answer_to(qdisc, &request, sizeof(request));
	const struct tcmsg *tc = NLMSG_DATA(answer);

	if (answer->nlmsg_type != RTM_NEWQDISC || tc->tcm_handle != qdisc->handle ||
	    !qdisc_attribute(answer, TCA_KIND))
		die("the kernel does not show the qdisc %x:", qdisc->handle >> 16);
	return answer;
}

void qdisc_set_limit(const struct qdisc *qdisc, uint32_t packets)
{
	struct {
		struct nlmsghdr header;
		struct tcmsg tc;
		struct nlattr kind;
		char name[8];
		struct nlattr options;
		struct tc_fifo_qopt fifo;
	} request = {
		.header = {
			.nlmsg_len = sizeof(request),
			.nlmsg_type = RTM_NEWQDISC,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK,
		},
		.tc = {
			.tcm_family = AF_UNSPEC,
			.tcm_ifindex = qdisc->ifindex,
			.tcm_handle = qdisc->handle,
			.tcm_parent = TC_H_ROOT,
		},
		.kind = { .nla_type = TCA_KIND, .nla_len = sizeof(struct nlattr) + 8 },
		.name = "pfifo",
		.options = {
			.nla_type = TCA_OPTIONS,
			.nla_len = sizeof(struct nlattr) + sizeof(struct tc_fifo_qopt),
		},
		.fifo = { .limit = packets },
	};
	const struct nlmsghdr *answer = answer_to(qdisc, &request, sizeof(request));
	const struct nlmsgerr *error = NLMSG_DATA(answer);

	if (answer->nlmsg_type != NLMSG_ERROR || error->error)
		die("the kernel does not take %u packets for the limit of the pfifo %x:",
		    packets, qdisc->handle >> 16);
}

void qdisc_endpoint(int words, char *word[])
{
	struct series *series = series_open(word[2], COLUMNS);
	struct qdisc qdisc = qdisc_open(word[3], word_number(word[4], "MAJOR"));
	int64_t t_ns;

	(void)words;
	for (t_ns = 0; t_ns <= schedule.end - schedule.t0; t_ns += schedule.step) {
		sleep_until(schedule.t0 + t_ns);
		note_qdisc(series, qdisc_ask(&qdisc), t_ns);
	}
	series_write(series);
}
