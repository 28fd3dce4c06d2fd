/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One run of wqm, from the limit that it finds to the limit that it leaves. */
#ifndef WQM_SESSION_H
#define WQM_SESSION_H

#include "options.h"

/* Each returns the exit status. */
int wqm_session_run(const struct wqm_options *options, struct wqm_kernel *kernel);
int wqm_session_restore(const struct wqm_options *options, struct wqm_kernel *kernel);

#endif
