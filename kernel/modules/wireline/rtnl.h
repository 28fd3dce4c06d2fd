/* SPDX-License-Identifier: GPL-2.0 */
/* Making and removing pairs of devices: ip link add type wireline. */
#ifndef WIRELINE_RTNL_H
#define WIRELINE_RTNL_H

#include <linux/init.h>

int __init wireline_rtnl_register(void);
void wireline_rtnl_unregister(void);

#endif /* WIRELINE_RTNL_H */
