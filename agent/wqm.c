// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * WQM at a radio whose queue is a pfifo: the policy of wqm/policy.c, which hosts run,
 * over what airlink counts, and over time.
 *
 *   wqm NODE ID DEVICE MAJOR RATE LIMIT INTERVAL FAMILY HEX NEST BUSY TX PPDUS
 *
 * RATE is that of data in kbit/s, which is fixed; LIMIT the drain time that is aimed at,
 * and INTERVAL the time between two looks, both in ns. HEX asks for the radio's
 * statistics, as for genl-watch: BUSY, TX and PPDUS are the numbers, in the nest NEST, of
 * the time in which it sensed others or sent, of that in which it sent, and of what it
 * sent. A table has a line for each interval; alarm is 0 for none, 1 low, 2 high.
 */
#include "../wqm/policy.h"
#include "agent.h"
#include "attribute.h"
#include "genl.h"
#include "qdisc.h"

#define COLUMNS "t_ns\trate_kbps\tbacklog_bytes\tfree_permille\tsent\tdrain_us\t" \
	"limit_packets\talarm"

static struct {
	struct genl genl;
	struct genl_request request;
	int nest, busy, tx, ppdus;	/* numbers of attributes */
} radio;

struct counts {
	int64_t busy_ns, tx_ns, ppdus;
};

static int64_t count_of(const struct nlattr *nest, int number)
{
	const struct nlattr *found = attribute_in_nest(nest, number);
	int64_t value;

	if (!found)
		die("%s answers without its statistic %d", radio.genl.name, number);
	attribute_copy(&value, sizeof(value), found);
	return value;
}

static struct counts read_counts(void)
{
	const struct nlmsghdr *answer = genl_ask(&radio.genl, &radio.request);
	const struct nlattr *nest = genl_attribute(answer, radio.nest);

	return (struct counts){
		count_of(nest, radio.busy), count_of(nest, radio.tx), count_of(nest, radio.ppdus)
	};
}

void wqm_endpoint(int words, char *word[])
{
	struct series *series = series_open(word[2], COLUMNS);
	struct qdisc qdisc = qdisc_open(word[3], word_number(word[4], "MAJOR"));
	struct wqm_policy policy = wqm_policy(word_number(word[6], "LIMIT"));
	int64_t t_ns, interval_ns = word_number(word[7], "INTERVAL");
	struct counts last, now;

	(void)words;
	radio.genl = genl_open(word[8]);
	radio.request = genl_request(word[9]);
	radio.nest = word_number(word[10], "NEST");
	radio.busy = word_number(word[11], "BUSY");
	radio.tx = word_number(word[12], "TX");
	radio.ppdus = word_number(word[13], "PPDUS");

	sleep_until(schedule.t0);
	last = read_counts();
	for (t_ns = interval_ns; t_ns <= schedule.end - schedule.t0; t_ns += interval_ns) {
		struct wqm_interval seen = { .rate_kbps = word_number(word[5], "RATE") };
		uint32_t before = policy.buffer_packets;

		sleep_until(schedule.t0 + t_ns);
		now = read_counts();
		seen.backlog_bytes = qdisc_queue(qdisc_ask(&qdisc)).backlog;
		seen.free_permille = wqm_free_permille(interval_ns, now.busy_ns - last.busy_ns,
						       now.tx_ns - last.tx_ns);
		seen.sent = now.ppdus > last.ppdus;
		if (wqm_policy_step(&policy, &seen) != before)
			qdisc_set_limit(&qdisc, policy.buffer_packets);
		series_row(series, (int64_t[]){
			t_ns, seen.rate_kbps, seen.backlog_bytes, seen.free_permille, seen.sent,
			wqm_drain_ns(&seen) / 1000, policy.buffer_packets, policy.alarm,
		});
		last = now;
	}
	series_write(series);
}
