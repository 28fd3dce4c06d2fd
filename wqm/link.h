/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Devices by their names and indices. */
#ifndef WQM_LINK_H
#define WQM_LINK_H

#include "netlink.h"

/* Longest name of a device, and its end. */
#define WQM_NAME_BYTES	16

/* The index of a device of that name, or -errno. */
int wqm_link_index(struct wqm_netlink *route, const char *name);

/* 0 if there is a device of that index, or -errno. */
int wqm_link_check(struct wqm_netlink *route, int device_index);

#endif
