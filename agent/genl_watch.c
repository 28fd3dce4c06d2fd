// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Statistics that a generic netlink family gives, over time.
 *
 *   genl-watch NODE ID FAMILY HEX NEST COLUMNS ARRAY [LIST KEY VALUE ENTRIES]
 *
 * HEX is the request for them, which is sent once a step. They are attributes of
 * 64 bits in the nest of number NEST. COLUMNS says which of them become columns:
 * NUMBER=NAME, with commas between. ARRAY is the number of one that is an array;
 * its values at the end of the measurement become the series ID-array.
 *
 * LIST is the number of a nest in that of NEST whose own are all nests, entries:
 * the attribute KEY of each says which one it is, and VALUE is a statistic of it.
 * ENTRIES says which of them become columns, too: BYTES=NAME, with commas between,
 * the KEY's bytes being hexadecimal. An entry that is not there yet counts 0.
 */
#include <linux/genetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"
#include "attribute.h"
#include "genl.h"

#define COLUMNS_MAX	32
#define KEY_MAX		32

/* A column that is of an entry of the list. */
struct entry {
	unsigned char key[KEY_MAX];
	size_t key_bytes;
};

static struct {
	struct genl genl;
	struct genl_request request;
	int nest;			/* the number of the nest */
	int columns;
	int number[COLUMNS_MAX];	/* the attribute of each column */
	int list, key, value;		/* attributes, if there are entries */
	int entries;
	struct entry *entry;		/* of each column behind the others */
	int64_t *row;
	struct series *series;
} watch;

/* Takes "1=a,2=b" apart and appends the names to the header of the series. */
static void read_columns(char *text, char *names)
{
	char *column;

	while ((column = strsep(&text, ","))) {
		char *number = strsep(&column, "=");

		if (!column || watch.columns == COLUMNS_MAX)
			die("plan: a column is NUMBER=NAME, and there are %d at most",
			    COLUMNS_MAX);
		watch.number[watch.columns++] = word_number(number, "a column's number");
		strcat(strcat(names, "\t"), column);
	}
}

/* The same of entries, "020000=a,020001=b". */
static void read_entries(char *text, char *names)
{
	char *column;

	watch.entry = calloc(strlen(text) + 1, sizeof(*watch.entry));
	if (!watch.entry)
		die("out of memory for columns");
	while ((column = strsep(&text, ","))) {
		struct entry *entry = &watch.entry[watch.entries++];
		char *bytes = strsep(&column, "=");

		if (!column)
			die("plan: an entry is BYTES=NAME, not '%.40s'", bytes);
		entry->key_bytes = word_bytes(bytes, entry->key, sizeof(entry->key));
		strcat(strcat(names, "\t"), column);
	}
}

/*
 * Reads which columns there are and returns the header of the series, which is not
 * freed: the series keeps it.
 */
static char *read_header(int words, char *word[])
{
	size_t bytes = strlen("t_ns") + strlen(word[6]) + 1;
	char *names;

	if (words == 12)
		bytes += strlen(word[11]) + 1;
	names = malloc(bytes);
	if (!names)
		die("out of memory for columns");
	strcpy(names, "t_ns");
	read_columns(word[6], names);
	if (words == 12) {
		watch.list = word_number(word[8], "LIST");
		watch.key = word_number(word[9], "KEY");
		watch.value = word_number(word[10], "VALUE");
		read_entries(word[11], names);
	}
	watch.row = calloc(1 + watch.columns + watch.entries, sizeof(*watch.row));
	if (!watch.row)
		die("out of memory for columns");
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

/* Notes the statistic of one entry of the list, if that has a column. */
static void note_entry(const struct nlattr *nest, int64_t *values)
{
	const struct nlattr *key = statistic(nest, watch.key);
	int at;

	for (at = 0; at < watch.entries; at++) {
		const struct entry *entry = &watch.entry[at];

		if (entry->key_bytes == attribute_bytes(key) &&
		    !memcmp(entry->key, attribute_payload(key), entry->key_bytes)) {
			attribute_copy(&values[at], sizeof(*values),
				       statistic(nest, watch.value));
			return;
		}
	}
}

static void note_list(const struct nlattr *list, int64_t *values)
{
	const struct nlattr *nest = NULL;

	memset(values, 0, watch.entries * sizeof(*values));
	while ((nest = attribute_next(list, nest)))
		note_entry(nest, values);
}

static void note_statistics(int64_t t_ns)
{
	const struct nlattr *nest = ask_for_statistics();
	int column;

	watch.row[0] = t_ns;
	for (column = 0; column < watch.columns; column++)
		attribute_copy(&watch.row[column + 1], sizeof(*watch.row),
			       statistic(nest, watch.number[column]));
	if (watch.entries)
		note_list(statistic(nest, watch.list), &watch.row[column + 1]);
	series_row(watch.series, watch.row);
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

	if (words != 8 && words != 12)
		die("plan: genl-watch has 8 words, or 12 with a list");
	watch.nest = word_number(word[5], "NEST");
	watch.series = series_open(word[2], read_header(words, word));
	watch.request = genl_request(word[4]);
	watch.genl = genl_open(word[3]);
	for (t_ns = 0; t_ns <= schedule.end - schedule.t0; t_ns += schedule.step) {
		sleep_until(schedule.t0 + t_ns);
		note_statistics(t_ns);
	}
	write_array(word[2], word_number(word[7], "ARRAY"), t_ns - schedule.step);
	series_write(watch.series);
}
