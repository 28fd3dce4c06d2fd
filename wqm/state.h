/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file with the old limit, which outlives a wqm that is killed. */
#ifndef WQM_STATE_H
#define WQM_STATE_H

#include "queue.h"

/*
 * Reads the file. `found` is false if there is none, or an empty one. What goes wrong,
 * or what is in it if it is none of wqm's, is said, and returned as false.
 */
bool wqm_state_read(const char *path, struct wqm_old_limit *old, bool *found);

/* Makes the file; one that is there is left as it is, which is said. */
bool wqm_state_write(const char *path, const struct wqm_old_limit *old);

void wqm_state_remove(const char *path);

#endif
