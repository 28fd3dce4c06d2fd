/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names that are most like one that there is not. */
#ifndef TSQLAB_NEAR_H
#define TSQLAB_NEAR_H

#define NEAR_NAMES	4
#define NEAR_CHARACTERS	64	/* longer names are cut */

struct near {
	char wanted[NEAR_CHARACTERS];
	struct {
		char name[NEAR_CHARACTERS];
		int distance;
	} found[NEAR_NAMES];	/* the nearest first; those that there are not have no name */
};

/* For a name SYSTEM:NAME, or SYSTEM:* for any of that system's. */
struct near near_begin(const char *wanted);
void near_note(struct near *near, const char *name);
/* The nearest, with commas between. */
const char *near_words(const struct near *near);

#endif
