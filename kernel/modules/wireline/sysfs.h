/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WIRELINE_SYSFS_H
#define WIRELINE_SYSFS_H

struct attribute_group;

extern const struct attribute_group wireline_sysfs_group;

#endif /* WIRELINE_SYSFS_H */
