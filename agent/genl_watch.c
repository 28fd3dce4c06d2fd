// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Statistics that a generic netlink family gives, over time.
 *
 *   genl-watch NODE ID FAMILY HEX NEST COLUMNS ARRAY
 *
 * HEX is the request for them, which is sent once a step. They are attributes of
 * 64 bits in the nest of number NEST. COLUMNS says which of them become columns:
 * NUMBER=NAME, with commas between. ARRAY is the number of one that is an array;
 * its values at the end of the measurement become the series ID-array.
 */
#include <linux/genetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"
#include "attribute.h"
#include "genl.h"

#define COLUMNS_MAX	32

static struct {
	struct genl genl;
	struct genl_request request;
	int nest;			/* the number of the nest */
	int columns;
	int number[COLUMNS_MAX];	/* the attribute of each column */
	struct series *series;
} watch;

/*
 * Takes "1=a,2=b" apart and returns the header of the series, which is not freed:
 * the series keeps it.
 */
static char *read_columns(char *text)
{
	char *names = malloc(strlen("t_ns") + strlen(text) + 1);
	char *column;

	if (!names)
		die("out of memory for columns");
	strcpy(names, "t_ns");
	while ((column = strsep(&text, ","))) {
		char *number = strsep(&column, "=");

		if (!column || watch.columns == COLUMNS_MAX)
			die("plan: a column is NUMBER=NAME, and there are %d at most",
			    COLUMNS_MAX);
		watch.number[watch.columns++] = word_number(number, "a column's number");
		strcat(strcat(names, "\t"), column);
	}
	return names;
}

/* The nest with the statistics of this instant. */
static const struct nlattr *ask_for_statistics(void)
{
	const struct nlmsghdr *answer = genl_ask(&watch.genl, &watch.request);
	const struct nlattr *nest = genl_attribute(answer, watch.nest);

	if (!nest)
		die("%s answers without statistics", watch.genl.name);
	return nest;
}

static const struct nlattr *statistic(const struct nlattr *nest, int number)
{
	const struct nlattr *found = attribute_in_nest(nest, number);

	if (!found)
		die("%s answers without its statistic %d", watch.genl.name, number);
	return found;
}

static void note_statistics(int64_t t_ns)
{
	const struct nlattr *nest = ask_for_statistics();
	int64_t row[COLUMNS_MAX + 1] = { t_ns };
	int column;

	for (column = 0; column < watch.columns; column++)
		attribute_copy(&row[column + 1], sizeof(*row),
			       statistic(nest, watch.number[column]));
	series_row(watch.series, row);
}

static void write_array(const char *id, int number, int64_t t_ns)
{
	const struct nlattr *array = statistic(ask_for_statistics(), number);
	size_t index, count = attribute_bytes(array) / sizeof(int64_t);
	const char *values = attribute_payload(array);
	struct series *series;
	char name[ID_MAX];

	snprintf(name, sizeof(name), "%s-array", id);
	series = series_open(name, "t_ns\tindex\tvalue");
	for (index = 0; index < count; index++) {
		int64_t row[] = { t_ns, index, 0 };

		memcpy(&row[2], values + index * sizeof(int64_t), sizeof(int64_t));
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
		note_statistics(t_ns);
	}
	write_array(word[2], word_number(word[7], "ARRAY"), t_ns - schedule.step);
	series_write(watch.series);
}
