// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Statistics that a generic netlink family gives, over time.
 *
 *   genl-watch NODE ID FAMILY HEX NEST COLUMNS ARRAY
 *
 * HEX asks for them, once a step. They are 64-bit attributes in the nest of number
 * NEST. COLUMNS says which: NUMBER=NAME, with commas between. ARRAY is the number
 * of one that is an array; it is written once, with what it is at the end, as the
 * series ID-array.
 */
#include <linux/genetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"
#include "genl.h"

#define COLUMNS_MAX	32

static struct {
	struct genl genl;
	struct genl_request request;
	int nest;
	int count;
	int number[COLUMNS_MAX];
	struct series *series;
} watch;

/* Takes "1=a,2=b" apart; the series keeps the names, so they are not freed. */
static char *read_columns(char *text)
{
	char *names = malloc(strlen("t_ns") + strlen(text) + 1);
	char *one;

	if (!names)
		die("out of memory for columns");
	strcpy(names, "t_ns");
	while ((one = strsep(&text, ","))) {
		char *number = strsep(&one, "=");

		if (!one || watch.count == COLUMNS_MAX)
			die("plan: a column is NUMBER=NAME, and there are %d at most",
			    COLUMNS_MAX);
		watch.number[watch.count++] = word_number(number, "a column's number");
		strcat(strcat(names, "\t"), one);
	}
	return names;
}

static const struct nlattr *ask(void)
{
	const struct nlmsghdr *answer = genl_ask(&watch.genl, &watch.request);
	const struct nlattr *nest;

	nest = attribute_in((const char *)NLMSG_DATA(answer) + GENL_HDRLEN,
			    NLMSG_PAYLOAD(answer, GENL_HDRLEN), watch.nest);
	if (!nest)
		die("%s answers without statistics", watch.genl.name);
	return nest;
}

static const struct nlattr *find(const struct nlattr *nest, int number)
{
	const struct nlattr *found = attribute_in((const char *)nest + NLA_HDRLEN,
						  nest->nla_len - NLA_HDRLEN, number);

	if (!found)
		die("%s answers without its statistic %d", watch.genl.name, number);
	return found;
}

static void note(int64_t t_ns)
{
	const struct nlattr *nest = ask();
	int64_t row[COLUMNS_MAX + 1] = { t_ns };
	int at;

	for (at = 0; at < watch.count; at++)
		memcpy(&row[at + 1], (const char *)find(nest, watch.number[at]) + NLA_HDRLEN,
		       sizeof(*row));
	series_row(watch.series, row);
}

static void write_array(const char *id, int number, int64_t t_ns)
{
	const struct nlattr *array = find(ask(), number);
	size_t at, count = (array->nla_len - NLA_HDRLEN) / sizeof(int64_t);
	struct series *series;
	char name[ID_MAX];

	snprintf(name, sizeof(name), "%s-array", id);
	series = series_open(name, "t_ns\tindex\tvalue");
	for (at = 0; at < count; at++) {
		int64_t row[] = { t_ns, at, 0 };

		memcpy(&row[2], (const char *)array + NLA_HDRLEN + at * sizeof(int64_t),
		       sizeof(int64_t));
		series_row(series, row);
	}
	series_write(series);
}

void genl_watch_endpoint(int words, char *word[])
{
	int64_t t_ns;

	(void)words;
	watch.nest = word_number(word[5], "NEST");
	watch.series = series_open(word[2], read_columns(word[6]));
	watch.request = genl_request(word[4]);
	watch.genl = genl_open(word[3]);
	for (t_ns = 0; t_ns <= schedule.end - schedule.t0; t_ns += schedule.step) {
		sleep_until(schedule.t0 + t_ns);
		note(t_ns);
	}
	write_array(word[2], word_number(word[7], "ARRAY"), t_ns - schedule.step);
	series_write(watch.series);
}
