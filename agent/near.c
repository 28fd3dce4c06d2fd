// SPDX-License-Identifier: GPL-2.0-or-later
/* See near.h: names are as near as few letters are to be inserted, left out or changed. */
#include <stdio.h>
#include <string.h>

#include "near.h"

static int least(int one, int other)
{
	return one < other ? one : other;
}

/* Levenshtein's distance, a row of its table at a time. */
static int distance(const char *one, const char *other)
{
	int row[NEAR_CHARACTERS + 1], above, before, columns = strlen(other), column, line;

	for (column = 0; column <= columns; column++)
		row[column] = column;
	for (line = 1; one[line - 1]; line++) {
		before = row[0]++;
		for (column = 1; column <= columns; column++) {
			above = row[column];
			row[column] = least(before + (one[line - 1] != other[column - 1]),
					    least(above, row[column - 1]) + 1);
			before = above;
		}
	}
	return row[columns];
}

struct near near_begin(const char *wanted)
{
	struct near near = { 0 };

	snprintf(near.wanted, sizeof(near.wanted), "%s", wanted);
	return near;
}

void near_note(struct near *near, const char *name)
{
	const char *end = strstr(near->wanted, ":*");
	char text[NEAR_CHARACTERS];
	int place, far, last;

	if (end && !end[2])
		snprintf(text, sizeof(text), "%.*s:*", (int)strcspn(name, ":"), name);
	else
		snprintf(text, sizeof(text), "%s", name);
	far = distance(near->wanted, text);
	for (place = 0; place < NEAR_NAMES; place++)
		if (!strcmp(near->found[place].name, text))
			return;
	for (place = 0; place < NEAR_NAMES; place++)
		if (!near->found[place].name[0] || far < near->found[place].distance)
			break;
	if (place == NEAR_NAMES)
		return;
	for (last = NEAR_NAMES - 1; last > place; last--)
		near->found[last] = near->found[last - 1];
	strcpy(near->found[place].name, text);
	near->found[place].distance = far;
}

const char *near_words(const struct near *near)
{
	static char words[NEAR_NAMES * (NEAR_CHARACTERS + 2)];
	int place, used = 0;

	words[0] = 0;
	for (place = 0; place < NEAR_NAMES && near->found[place].name[0]; place++)
		used += snprintf(words + used, sizeof(words) - used, "%s%s", place ? ", " : "",
				 near->found[place].name);
	return words;
}
