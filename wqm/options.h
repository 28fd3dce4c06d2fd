/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line. */
#ifndef WQM_OPTIONS_H
#define WQM_OPTIONS_H

#include "inputs.h"
#include "queue.h"

#define WQM_PATH_BYTES	4096

struct wqm_options {
	const char *device;
	uint64_t drain_limit_ns;
	uint64_t interval_ns;
	enum wqm_actuator actuator;
	enum wqm_rate rate;
	uint32_t fixed_kbps;
	const char *log_path;		/* or NULL */
	char state_path[WQM_PATH_BYTES];
	bool dry_run;
	bool once;
	bool restore;
};

/* Ends the process where there is nothing to run: --help, and what is wrong. */
struct wqm_options wqm_options(int count, char *word[]);

#endif
