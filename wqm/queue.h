/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The queue of which wqm sets the limit: a qdisc, or the TXQs of a phy. */
#ifndef WQM_QUEUE_H
#define WQM_QUEUE_H

#include "link.h"
#include "qdisc.h"
#include "wifi.h"

enum wqm_actuator {
	WQM_AUTO,
	WQM_QDISC,
	WQM_TXQ,
};

struct wqm_kernel {
	struct wqm_netlink route;
	struct wqm_wifi wifi;
};

struct wqm_queue {
	struct wqm_kernel *kernel;
	const char *device;
	int device_index;
	bool wireless;
	enum wqm_actuator actuator;	/* not WQM_AUTO */
	struct wqm_qdisc qdisc;
	struct wqm_phy phy;
};

/* What the queue's limit was, and of which queue: enough to put it back later. */
struct wqm_old_limit {
	enum wqm_actuator actuator;
	int device_index;
	char kind[WQM_KIND_BYTES];
	uint32_t handle;
	uint32_t phy;
	uint32_t limit;		/* in the queue's own unit */
};

/*
 * Finds the queue; if there is none, says why, and returns false. Only a rate that is
 * given has a device sized that is none of cfg80211's.
 */
bool wqm_queue_open(struct wqm_queue *queue, struct wqm_kernel *kernel, const char *device,
		    enum wqm_actuator actuator, bool rate_given);

/* Reads a qdisc's backlog. 0, -errno, or -ESTALE if the qdisc is another one by now. */
int wqm_queue_read(struct wqm_queue *queue);

int wqm_queue_set(struct wqm_queue *queue, uint32_t packets);

struct wqm_old_limit wqm_queue_old_limit(const struct wqm_queue *queue);

/*
 * Makes the queue this process's alone, until that ends or `claim` is closed. 0, -errno,
 * or -EADDRINUSE if it is another's.
 */
int wqm_queue_claim(struct wqm_netlink *claim, const struct wqm_old_limit *of);

/* Whether two are of one queue: of one phy, or one device. */
bool wqm_queue_same(const struct wqm_old_limit *one, const struct wqm_old_limit *other);

/* Sets it again. 0, -errno, or -ESTALE if that queue is no more. */
int wqm_queue_put_back(struct wqm_kernel *kernel, const struct wqm_old_limit *old);

/* What went wrong with the queue, in words. */
const char *wqm_queue_why(const struct wqm_kernel *kernel, enum wqm_actuator actuator,
			  int error);

/* The kind of queue, and what its own limit counts, as the user knows them. */
const char *wqm_queue_name(const struct wqm_queue *queue);
const char *wqm_queue_unit(const struct wqm_queue *queue);

#endif
