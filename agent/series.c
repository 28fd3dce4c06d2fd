// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A time series: tab-separated integers, one row per sample, under a header of
 * column names that carry their units. The first column is always t_ns, counted
 * from the start of the measurement. Rows stay in memory until the end, because
 * a write to the host's folder costs real time and a sampling handler must be
 * short.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent.h"
#include "places.h"

struct series {
	char id[ID_MAX];
	const char *columns;
	size_t width;		/* values in a row */
	size_t rows, room;
	int64_t *values;
};

struct series *series_open(const char *id, const char *columns)
{
	struct series *series = calloc(1, sizeof(*series));
	const char *at;

	if (!series || strlen(id) >= ID_MAX)
		die("cannot open the series '%s'", id);
	strcpy(series->id, id);
	series->columns = columns;
	series->width = 1;
	for (at = columns; *at; at++)
		series->width += *at == '\t';
	return series;
}

void series_row(struct series *series, const int64_t *values)
{
	if (series->rows == series->room) {
		series->room = series->room ? 2 * series->room : 1024;
		series->values = realloc(series->values,
					 series->room * series->width * sizeof(*values));
		if (!series->values)
			die("out of memory for the series '%s'", series->id);
	}
	memcpy(series->values + series->rows++ * series->width, values,
	       series->width * sizeof(*values));
}

/* Under a name of its own first: a file that is there is whole. */
void series_write(struct series *series)
{
	char final[sizeof(OUT_DIR) + ID_MAX + 8], partial[sizeof(final) + 8];
	size_t at, count = series->rows * series->width;
	FILE *file;

	snprintf(final, sizeof(final), OUT_DIR "/%s.tsv", series->id);
	snprintf(partial, sizeof(partial), "%s.part", final);
	file = fopen(partial, "w");
	if (!file)
		die_errno("cannot create %s", partial);
	fprintf(file, "%s\n", series->columns);
	for (at = 0; at < count; at++)
		fprintf(file, "%lld%c", (long long)series->values[at],
			(at + 1) % series->width ? '\t' : '\n');
	if (fflush(file) || fsync(fileno(file)) || fclose(file) || rename(partial, final))
		die_errno("cannot write %s", final);
}
