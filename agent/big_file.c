// SPDX-License-Identifier: GPL-2.0-or-later
/* See big_file.h. */
#include <fcntl.h>
#include <unistd.h>

#include "agent.h"
#include "big_file.h"
#include "places.h"

/* How much of a file the guest keeps in its memory, which packets need, too. */
#define CACHE_BYTES	(4 << 20)

struct big_file big_file_open(const char *name, const char *what)
{
	struct big_file big = { .what = what };
	char path[sizeof(OUT_DIR) + ID_MAX + 8];

	snprintf(path, sizeof(path), OUT_DIR "/%s", name);
	big.file = fopen(path, "w");
	if (!big.file)
		die_errno("cannot create %s", path);
	return big;
}

void big_file_put(struct big_file *big, const void *data, size_t bytes)
{
	if (bytes && fwrite(data, bytes, 1, big->file) != 1)
		die_errno("cannot write %s", big->what);
	big->bytes += bytes;
	big->cached_bytes += bytes;
}

void big_file_empty(struct big_file *big)
{
	const int flags = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
			  SYNC_FILE_RANGE_WAIT_AFTER;

	if (big->cached_bytes <= CACHE_BYTES)
		return;
	if (fflush(big->file) || sync_file_range(fileno(big->file), 0, 0, flags))
		die_errno("cannot write %s", big->what);
	posix_fadvise(fileno(big->file), 0, 0, POSIX_FADV_DONTNEED);
	big->cached_bytes = 0;
}

void big_file_close(struct big_file *big)
{
	if (fflush(big->file) || fsync(fileno(big->file)) || fclose(big->file))
		die_errno("cannot write %s", big->what);
}
