/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The qdisc at the root of a device. */
#ifndef WQM_QDISC_H
#define WQM_QDISC_H

#include <stdbool.h>
#include <stdint.h>

#include "netlink.h"

#define WQM_KIND_BYTES	16

/* A frame of Ethernet, with its header, in a limit that counts bytes. */
#define WQM_FRAME_BYTES	1514

struct wqm_qdisc {
	int device_index;
	bool root;
	char kind[WQM_KIND_BYTES];
	uint32_t handle;	/* 0: made by the kernel, which cannot be changed */
	bool sizable;		/* of a kind with a limit that wqm sets */
	uint32_t limit;		/* packets; bfifo: bytes */
	uint32_t backlog_bytes;
	uint64_t sent_bytes;
};

/* Reads the root; -ENOENT if there is none, -ENODEV if there is no device. */
int wqm_qdisc_read(struct wqm_netlink *route, int device_index, struct wqm_qdisc *qdisc);

/* Sets the limit, in the kind's own unit. */
int wqm_qdisc_set(struct wqm_netlink *route, const struct wqm_qdisc *qdisc,
		  uint32_t limit);

/* So many packets, in the kind's own unit. */
uint32_t wqm_qdisc_units(const struct wqm_qdisc *qdisc, uint32_t packets);

/* An RTM_NEWQDISC; false if it is not one. */
bool wqm_qdisc_parse(const struct nlmsghdr *message, struct wqm_qdisc *qdisc);

#endif
