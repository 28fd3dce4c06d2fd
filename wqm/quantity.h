/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers with a unit, as users write them: "2.5ms", "144.4Mbit". */
#ifndef WQM_QUANTITY_H
#define WQM_QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

struct wqm_unit {
	const char *name;
	uint64_t size;
};

/*
 * A decimal number and one of the units, as a whole number of the smallest; false if it
 * is nothing of the kind, has a part that is too small, or is too large.
 */
bool wqm_quantity(const char *text, const struct wqm_unit units[], uint64_t *value);

/* In ns, and in kbit/s. */
bool wqm_time_ns(const char *text, uint64_t *ns);
bool wqm_rate_kbps(const char *text, uint64_t *kbps);

#endif
