/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file with the old limit, which outlives a wqm that is killed. */
#ifndef WQM_STATE_H
#define WQM_STATE_H

#include "queue.h"

struct wqm_state {
	const char *path;
	int fd;
};

/*
 * Opens the file and locks it against any other wqm. What goes wrong is said. Without
 * `create` a file that is not there is no error: fd is -1 then.
 */
bool wqm_state_open(struct wqm_state *state, const char *path, bool create);

/* Reads a limit; false if there is none, or nothing that wqm would write. */
bool wqm_state_read(const struct wqm_state *state, struct wqm_old_limit *old);

bool wqm_state_write(const struct wqm_state *state, const struct wqm_old_limit *old);

/* Closes the file, and removes it if nothing of it is needed any more. */
void wqm_state_close(struct wqm_state *state, bool remove);

bool wqm_state_parse(const char *text, struct wqm_old_limit *old);

#endif
