/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What wqm tells of its intervals: a table for programs, a line for people. */
#ifndef WQM_LOG_H
#define WQM_LOG_H

#include <stdio.h>

#include "policy.h"

/* NULL if it cannot be written, which is said. `path` may be NULL: then nothing is. */
bool wqm_log_open(FILE **log, const char *path);

/* False, and said, if the file cannot take it. */
bool wqm_log_write(FILE *log, uint64_t ns, const struct wqm_interval *seen,
		   const struct wqm_policy *policy);

/* "rate 144.4 Mbit/s, backlog 1514 bytes, ..." */
void wqm_log_sentence(char *text, size_t room, const struct wqm_interval *seen,
		      const struct wqm_policy *policy);

#endif
