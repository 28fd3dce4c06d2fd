// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The file with the old limit: one line, written before the limit is touched and
 * removed when it is as it was. So whoever finds it (the service's ExecStopPost, or the
 * next wqm) knows that a wqm was killed, and what to put back.
 *
 *	qdisc DEVICE_INDEX KIND HANDLE LIMIT
 *	txq PHY LIMIT
 *
 * Nothing is ever written over: a name that leads to another's file harms nobody.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "state.h"

#define LINE_BYTES	128

/* A file with no more in it than `most_bytes`; a pipe is not waited for. */
static int state_open(const char *path, int flags, off_t most_bytes)
{
	int fd = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);
	struct stat about;

	if (fd < 0 || (!fstat(fd, &about) && S_ISREG(about.st_mode) && about.st_size <= most_bytes))
		return fd;
	close(fd);
	errno = EEXIST;
	return -1;
}

static bool state_parse(const char *text, struct wqm_old_limit *old)
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

bool wqm_state_read(const char *path, struct wqm_old_limit *old, bool *found)
{
	int fd = state_open(path, O_RDONLY, LINE_BYTES);
	char line[LINE_BYTES + 1] = "";
	ssize_t bytes;

	*found = false;
	if (fd < 0 && errno == ENOENT)
		return true;
	bytes = fd < 0 ? -1 : read(fd, line, LINE_BYTES);
	if (bytes < 0)
		warnx("%s: %s; try: --state FILE", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	if (bytes <= 0)
		return !bytes;
	*found = state_parse(line, old);
	if (!*found)
		warnx("%s: what it has is no limit that wqm has left; remove it, or try: "
		      "--state FILE", path);
	return *found;
}

bool wqm_state_write(const char *path, const struct wqm_old_limit *old)
{
	/* An empty one is of a wqm that was killed at this very place. */
	int fd = state_open(path, O_WRONLY | O_CREAT, 0);
	bool written;

	if (fd < 0) {
		warnx("%s: %s; the old limit has to be kept somewhere, try: --state FILE, or "
		      "sudo wqm", path, strerror(errno));
		return false;
	}
	if (old->actuator == WQM_TXQ)
		written = dprintf(fd, "txq %" PRIu32 " %" PRIu32 "\n", old->phy, old->limit) > 0;
	else
		written = dprintf(fd, "qdisc %d %s %" PRIx32 " %" PRIu32 "\n", old->device_index,
				  old->kind, old->handle, old->limit) > 0;
	if (!written) {
		warnx("%s: %s; nothing was changed", path, strerror(errno));
		wqm_state_remove(path);
	}
	close(fd);
	return written;
}

void wqm_state_remove(const char *path)
{
	if (unlink(path))
		warnx("%s: %s", path, strerror(errno));
}
