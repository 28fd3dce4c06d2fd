// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One queueing discipline, over time.
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

#define ANSWER_BYTES	16384
#define COLUMNS "t_ns\tsent_bytes\tsent_packets\tbacklog_bytes\tbacklog_packets\t" \
	"drops\toverlimits\tmarks"

/*
 * The member of a qdisc's extended statistics (TCA_STATS_APP) that counts marked
 * packets, by the kind of qdisc. Cake counts in another way; all others, which
 * are not here, do not mark.
 */
#define MARKS(kind, type, member)						\
	{ kind, offsetof(type, member), sizeof(((type *)NULL)->member) }

static const struct {
	const char *kind;
	size_t offset, bytes;
} mark_counters[] = {
	MARKS("fq_codel", struct tc_fq_codel_xstats, qdisc_stats.ecn_mark),
	MARKS("codel", struct tc_codel_xstats, ecn_mark),
	MARKS("pie", struct tc_pie_xstats, ecn_mark),
	MARKS("fq_pie", struct tc_fq_pie_xstats, ecn_mark),
	MARKS("fq", struct tc_fq_qd_stats, ce_mark),
	MARKS("red", struct tc_red_xstats, marked),
};

static struct {
	int fd, ifindex;
	uint32_t handle;
	struct series *series;
} sampler;

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
	size_t row;

	if (!strcmp(kind, "cake"))
		return cake_marks(xstats);
	for (row = 0; row < sizeof(mark_counters) / sizeof(*mark_counters); row++)
		if (!strcmp(kind, mark_counters[row].kind))
			return counter_in(xstats, mark_counters[row].offset,
					  mark_counters[row].bytes);
	return 0;
}

static void note_qdisc(const struct nlmsghdr *message, int64_t t_ns)
{
	const struct tcmsg *tc = NLMSG_DATA(message);
	const void *attributes = (const char *)tc + NLMSG_ALIGN(sizeof(*tc));
	size_t bytes = NLMSG_PAYLOAD(message, sizeof(*tc));
	const struct nlattr *kind = attribute_in(attributes, bytes, TCA_KIND);
	const struct nlattr *stats = attribute_in(attributes, bytes, TCA_STATS2);
	struct gnet_stats_basic basic;
	struct gnet_stats_queue queue;

	if (tc->tcm_handle != sampler.handle || !kind)
		die("the kernel shows another qdisc than %x:", sampler.handle >> 16);
	attribute_copy(&basic, sizeof(basic), attribute_in_nest(stats, TCA_STATS_BASIC));
	attribute_copy(&queue, sizeof(queue), attribute_in_nest(stats, TCA_STATS_QUEUE));
	series_row(sampler.series, (int64_t[]){
		t_ns, basic.bytes, basic.packets, queue.backlog, queue.qlen,
		queue.drops, queue.overlimits,
		marks_of(attribute_payload(kind), attribute_in_nest(stats, TCA_STATS_APP)),
	});
}

static void ask_for_qdisc(void)
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
			.tcm_ifindex = sampler.ifindex,
			.tcm_handle = sampler.handle,
		},
	};

	if (send(sampler.fd, &request, sizeof(request), 0) != sizeof(request))
		die_errno("cannot ask for a qdisc");
}

static void note_answer(int64_t t_ns)
{
	static char answer[ANSWER_BYTES] __attribute__((aligned(NLMSG_ALIGNTO)));
	ssize_t length = recv(sampler.fd, answer, sizeof(answer), 0);
	const struct nlmsghdr *message = (void *)answer;

	if (length < 0)
		die_errno("cannot read a qdisc");
	if (!NLMSG_OK(message, (size_t)length) || message->nlmsg_type != RTM_NEWQDISC)
		die("the kernel does not show the qdisc %x:", sampler.handle >> 16);
	note_qdisc(message, t_ns);
}

void qdisc_endpoint(int words, char *word[])
{
	int64_t t_ns;

	(void)words;
	sampler.ifindex = if_nametoindex(word[3]);
	sampler.handle = word_number(word[4], "MAJOR") << 16;
	sampler.series = series_open(word[2], COLUMNS);
	sampler.fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	if (!sampler.ifindex || sampler.fd < 0)
		die_errno("cannot watch the qdisc of %s", word[3]);
	for (t_ns = 0; t_ns <= schedule.end - schedule.t0; t_ns += schedule.step) {
		sleep_until(schedule.t0 + t_ns);
		ask_for_qdisc();
		note_answer(t_ns);
	}
	series_write(sampler.series);
}
