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
	size_t rows;		/* how many there are */
	size_t room;		/* how many there is memory for */
	int64_t *values;
};

struct series *series_open(const char *id, const char *columns)
{
	struct series *series = calloc(1, sizeof(*series));
	const char *tab;

	if (!series || strlen(id) >= ID_MAX)
		die("cannot open the series '%s'", id);
	strcpy(series->id, id);
	series->columns = columns;
	series->width = 1;
	for (tab = columns; (tab = strchr(tab, '\t')); tab++)
		series->width++;
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

/* Writes under another name first, so that a file with the right name is whole. */
void series_write(struct series *series)
{
	char final[sizeof(OUT_DIR) + ID_MAX + 8], partial[sizeof(final) + 8];
	size_t index, count = series->rows * series->width;
	FILE *file;

	snprintf(final, sizeof(final), OUT_DIR "/%s.tsv", series->id);
	snprintf(partial, sizeof(partial), "%s.part", final);
	file = fopen(partial, "w");
	if (!file)
		die_errno("cannot create %s", partial);
	fprintf(file, "%s\n", series->columns);
	for (index = 0; index < count; index++)
		fprintf(file, "%lld%c", (long long)series->values[index],
			(index + 1) % series->width ? '\t' : '\n');
	if (fflush(file) || fsync(fileno(file)) || fclose(file) || rename(partial, final))
		die_errno("cannot write %s", final);
}
