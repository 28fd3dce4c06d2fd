// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One queueing discipline, over time.
 *
 *   qdisc NODE ID DEVICE MAJOR
 *
 * MAJOR is the handle's major number. One RTM_GETQDISC per step, for this qdisc
 * alone: a dump would take more system calls. Marks are in each qdisc's own
 * extended statistics.
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

#define ANSWER_BYTES	16384
#define COLUMNS "t_ns\tsent_bytes\tsent_packets\tbacklog_bytes\tbacklog_packets\t" \
	"drops\toverlimits\tmarks"

static struct {
	int fd, ifindex;
	uint32_t handle;
	struct series *series;
} sampler;

static const struct rtattr *find(const struct rtattr *attribute, int length, int type)
{
	for (; RTA_OK(attribute, length); attribute = RTA_NEXT(attribute, length))
		if ((attribute->rta_type & NLA_TYPE_MASK) == type)
			return attribute;
	return NULL;
}

static const struct rtattr *find_in(const struct rtattr *nest, int type)
{
	return nest ? find(RTA_DATA(nest), RTA_PAYLOAD(nest), type) : NULL;
}

/* A copy, as long as the kernel's and ours have in common; else zeros. */
static void copy(void *to, size_t bytes, const struct rtattr *attribute)
{
	memset(to, 0, bytes);
	if (attribute)
		memcpy(to, RTA_DATA(attribute),
		       RTA_PAYLOAD(attribute) < bytes ? RTA_PAYLOAD(attribute) : bytes);
}

static int64_t cake_marks(const struct rtattr *xstats)
{
	const struct rtattr *tins = find_in(xstats, TCA_CAKE_STATS_TIN_STATS);
	int64_t marks = 0;
	const struct rtattr *tin;
	uint32_t one;
	int at;

	for (at = 1; (tin = find_in(tins, at)); at++) {
		copy(&one, sizeof(one), find_in(tin, TCA_CAKE_TIN_STATS_ECN_MARKED_PACKETS));
		marks += one;
	}
	return marks;
}

static int64_t marks_of(const char *kind, const struct rtattr *xstats)
{
	if (!strcmp(kind, "fq_codel")) {
		struct tc_fq_codel_xstats stats;

		copy(&stats, sizeof(stats), xstats);
		return stats.qdisc_stats.ecn_mark;
	}
	if (!strcmp(kind, "codel")) {
		struct tc_codel_xstats stats;

		copy(&stats, sizeof(stats), xstats);
		return stats.ecn_mark;
	}
	if (!strcmp(kind, "pie")) {
		struct tc_pie_xstats stats;

		copy(&stats, sizeof(stats), xstats);
		return stats.ecn_mark;
	}
	if (!strcmp(kind, "fq_pie")) {
		struct tc_fq_pie_xstats stats;

		copy(&stats, sizeof(stats), xstats);
		return stats.ecn_mark;
	}
	if (!strcmp(kind, "fq")) {
		struct tc_fq_qd_stats stats;

		copy(&stats, sizeof(stats), xstats);
		return stats.ce_mark;
	}
	if (!strcmp(kind, "red")) {
		struct tc_red_xstats stats;

		copy(&stats, sizeof(stats), xstats);
		return stats.marked;
	}
	return strcmp(kind, "cake") ? 0 : cake_marks(xstats);
}

static void note_qdisc(const struct nlmsghdr *message, int64_t t_ns)
{
	const struct tcmsg *tc = NLMSG_DATA(message);
	const struct rtattr *attributes = TCA_RTA(tc);
	int length = TCA_PAYLOAD(message);
	const struct rtattr *kind = find(attributes, length, TCA_KIND);
	const struct rtattr *stats = find(attributes, length, TCA_STATS2);
	struct gnet_stats_basic basic;
	struct gnet_stats_queue queue;

	if (tc->tcm_handle != sampler.handle || !kind)
		die("the kernel shows another qdisc than %x:", sampler.handle >> 16);
	copy(&basic, sizeof(basic), find_in(stats, TCA_STATS_BASIC));
	copy(&queue, sizeof(queue), find_in(stats, TCA_STATS_QUEUE));
	series_row(sampler.series, (int64_t[]){
		t_ns, basic.bytes, basic.packets, queue.backlog, queue.qlen,
		queue.drops, queue.overlimits,
		marks_of(RTA_DATA(kind), find_in(stats, TCA_STATS_APP)),
	});
}

static void ask(void)
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
		ask();
		note_answer(t_ns);
	}
	series_write(sampler.series);
}
