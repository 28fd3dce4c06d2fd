/* SPDX-License-Identifier: GPL-2.0 */
/* A device's settings that ethtool(8) has no words for, in sysfs. */
#ifndef WIRELINE_SYSFS_H
#define WIRELINE_SYSFS_H

struct attribute_group;

extern const struct attribute_group wireline_sysfs_group;

#endif /* WIRELINE_SYSFS_H */
