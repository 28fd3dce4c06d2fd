/* SPDX-License-Identifier: GPL-2.0 */
/* A device's schedule, as a file in sysfs. */
#ifndef WIRELINE_SCHEDULE_FILE_H
#define WIRELINE_SCHEDULE_FILE_H

#include <linux/sysfs.h>

#include "compat.h"

struct wireline_end;

extern WIRELINE_CONST_BIN struct bin_attribute *WIRELINE_CONST_BIN
wireline_schedule_attrs[];

void wireline_schedule_file_forget(struct wireline_end *end);

#endif /* WIRELINE_SCHEDULE_FILE_H */
