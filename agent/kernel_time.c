// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A time that is a share of stock TSQ's, 1 s / 2^sk_pacing_shift. The shift is the
 * one that this kernel has by itself, so that a patch which changes it changes what
 * is written here; tsqlab.experiment.tsq.KernelTime is the same in Python.
 */
#include <stdio.h>

#include "agent.h"

#define SHIFT_PATH	"/sys/module/wireline/parameters/kernel_shift"
#define SHIFT_MAX	31	/* of a driver's: a longer one would be less than a ns */

static int kernel_shift(void)
{
	FILE *file = fopen(SHIFT_PATH, "re");
	int shift;

	if (!file)
		die_errno("cannot open %s", SHIFT_PATH);
	if (fscanf(file, "%d", &shift) != 1 || shift < 0 || shift > SHIFT_MAX)
		die("%s: expected 0 to %d", SHIFT_PATH, SHIFT_MAX);
	fclose(file);
	return shift;
}

/* Rounded to the nearest us, and 1 at least. */
void write_kernel_time(const char *node, const char *path, const char *numerator,
		       const char *denominator)
{
	int64_t share = word_number(numerator, "N"), of = word_number(denominator, "D");
	char value[24];
	int64_t us;

	if (share <= 0 || of <= 0)
		die("plan: write-time has %s / %s", numerator, denominator);
	of <<= kernel_shift();
	us = (2 * 1000000 * share + of) / (2 * of);
	snprintf(value, sizeof(value), "%lld", (long long)(us ? us : 1));
	write_in_node(node, path, value);
}
