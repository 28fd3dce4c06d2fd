/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file of the host that grows through the whole measurement, as a capture or a
 * trace does, and of which the guest keeps little in its memory.
 */
#ifndef TSQLAB_BIG_FILE_H
#define TSQLAB_BIG_FILE_H

#include <stdint.h>
#include <stdio.h>

struct big_file {
	FILE *file;
	const char *what;	/* what it is, for errors: "a capture" */
	int64_t bytes;
	int64_t cached_bytes;	/* of them, since they were last sent to the host */
};

/* Makes the file of that name in the folder of results. */
struct big_file big_file_open(const char *name, const char *what);
void big_file_put(struct big_file *big, const void *data, size_t bytes);
/* To be called now and then: sends what there is to the host, if it is much. */
void big_file_empty(struct big_file *big);
void big_file_close(struct big_file *big);

#endif
