/* SPDX-License-Identifier: GPL-2.0 */
/* A device's settings, by ethtool(8). */
#ifndef WIRELINE_SETTINGS_H
#define WIRELINE_SETTINGS_H

#include <linux/ethtool.h>

extern const struct ethtool_ops wireline_ethtool_ops;

#endif /* WIRELINE_SETTINGS_H */
