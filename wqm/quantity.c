// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Numbers with a unit, exact: the digits are taken as a whole number, whose last ones
 * may be a fraction of the unit.
 */
#include <ctype.h>
#include <string.h>

#include "quantity.h"

/* So that a number of any unit here is within 64 bits. */
#define DIGITS_MAX	9

static const struct wqm_unit quantity_times[] = {
	{ "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 }, { 0 },
};

static const struct wqm_unit quantity_rates[] = {
	{ "kbit", 1 }, { "Mbit", 1000 }, { "Gbit", 1000000 }, { 0 },
};

bool wqm_quantity(const char *text, const struct wqm_unit units[], uint64_t *value)
{
	uint64_t number = 0, scale = 1;
	bool fraction = false;
	int digits = 0;

	for (; isdigit((unsigned char)*text) || (*text == '.' && !fraction); text++) {
		if (*text == '.') {
			fraction = true;
			continue;
		}
		if (++digits > DIGITS_MAX)
			return false;
		number = 10 * number + (*text - '0');
		scale *= fraction ? 10 : 1;
	}
	for (; digits && units->name; units++) {
		if (strcmp(text, units->name))
			continue;
		*value = number * units->size / scale;
		return number * units->size % scale == 0;
	}
	return false;
}

bool wqm_time_ns(const char *text, uint64_t *ns)
{
	return wqm_quantity(text, quantity_times, ns);
}

bool wqm_rate_kbps(const char *text, uint64_t *kbps)
{
	return wqm_quantity(text, quantity_rates, kbps);
}
