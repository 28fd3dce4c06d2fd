// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The file with the old limit: one line, written before the limit is touched and
 * removed when it is as it was. So whoever finds it (the service's ExecStopPost, or the
 * next wqm) knows that a wqm was killed, and what to put back. A lock on it keeps two of
 * them from one queue; it goes with the process.
 *
 *	qdisc DEVICE_INDEX KIND HANDLE LIMIT
 *	txq PHY LIMIT
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "state.h"

#define LINE_BYTES	128

/* Another wqm may have removed the file between our open() and our lock. */
static bool state_is_there(const struct wqm_state *state)
{
	struct stat opened, named;

	return !fstat(state->fd, &opened) && !stat(state->path, &named) &&
	       opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

/* 0, or errno. */
static int state_lock(struct wqm_state *state, bool create)
{
	int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | (create ? O_CREAT : 0), error;

	for (;;) {
		state->fd = open(state->path, flags, 0644);
		if (state->fd < 0)
			return errno;
		error = flock(state->fd, LOCK_EX | LOCK_NB) ? errno : 0;
		if (!error && state_is_there(state))
			return 0;
		close(state->fd);
		state->fd = -1;
		if (error)
			return error;
	}
}

bool wqm_state_open(struct wqm_state *state, const char *path, bool create)
{
	int error;

	*state = (struct wqm_state){ .path = path, .fd = -1 };
	error = state_lock(state, create);
	if (!error || (error == ENOENT && !create))
		return true;
	if (error == EWOULDBLOCK)
		warnx("%s: another wqm uses it; stop that one first", path);
	else
		warnx("%s: %s; the old limit has to be kept somewhere, try: --state FILE", path,
		      strerror(error));
	return false;
}

bool wqm_state_parse(const char *text, struct wqm_old_limit *old)
{
	int end = -1;

	*old = (struct wqm_old_limit){ .actuator = WQM_TXQ };
	if (sscanf(text, "txq %" SCNu32 " %" SCNu32 "%n", &old->phy, &old->limit, &end) == 2)
		return !strcmp(text + end, "\n");
	*old = (struct wqm_old_limit){ .actuator = WQM_QDISC };
	if (sscanf(text, "qdisc %d %15s %" SCNx32 " %" SCNu32 "%n", &old->device_index, old->kind,
		   &old->handle, &old->limit, &end) == 4)
		return !strcmp(text + end, "\n");
	return false;
}

bool wqm_state_read(const struct wqm_state *state, struct wqm_old_limit *old)
{
	char line[LINE_BYTES] = "";
	ssize_t bytes = state->fd < 0 ? 0 : pread(state->fd, line, sizeof(line) - 1, 0);

	return bytes > 0 && wqm_state_parse(line, old);
}

bool wqm_state_write(const struct wqm_state *state, const struct wqm_old_limit *old)
{
	char line[LINE_BYTES];
	int bytes;

	if (old->actuator == WQM_TXQ)
		bytes = snprintf(line, sizeof(line), "txq %" PRIu32 " %" PRIu32 "\n", old->phy,
				 old->limit);
	else
		bytes = snprintf(line, sizeof(line), "qdisc %d %s %" PRIx32 " %" PRIu32 "\n",
				 old->device_index, old->kind, old->handle, old->limit);
	if (!ftruncate(state->fd, 0) && pwrite(state->fd, line, bytes, 0) == bytes)
		return true;
	warnx("%s: %s; nothing was changed", state->path, strerror(errno));
	return false;
}

void wqm_state_close(struct wqm_state *state, bool remove)
{
	if (state->fd < 0)
		return;
	if (remove && unlink(state->path))
		warnx("%s: %s", state->path, strerror(errno));
	close(state->fd);
	state->fd = -1;
}
