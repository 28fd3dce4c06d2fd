/* SPDX-License-Identifier: GPL-2.0 */
/* The generic netlink family; uapi.h has its messages. */
#ifndef AIRLINK_NETLINK_H
#define AIRLINK_NETLINK_H

int al_netlink_register(void);
void al_netlink_unregister(void);

#endif /* AIRLINK_NETLINK_H */
