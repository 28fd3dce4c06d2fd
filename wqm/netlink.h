/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A question to the kernel over netlink, and its answers. */
#ifndef WQM_NETLINK_H
#define WQM_NETLINK_H

#include <libmnl/libmnl.h>
#include <stddef.h>

#define WQM_REQUEST_BYTES	512

/* What the kernel said of the last request that it refused, or nothing. */
struct wqm_explanation {
	char text[128];
};

struct wqm_netlink {
	struct mnl_socket *socket;
	unsigned int sequence;
	struct wqm_explanation explanation;
};

struct wqm_request {
	char bytes[WQM_REQUEST_BYTES] __attribute__((aligned(8)));
};

/* 0 or -errno. The port is one's own number; the kernel chooses one for MNL_SOCKET_AUTOPID. */
int wqm_netlink_open(struct wqm_netlink *netlink, int bus, unsigned int port);
void wqm_netlink_close(struct wqm_netlink *netlink);

/* Begins a request; its header (such as a struct tcmsg) is zero. */
struct nlmsghdr *wqm_netlink_request(struct wqm_request *request, int type, int flags,
				     size_t header_bytes);

/*
 * Sends a request, gives each answer to `each`, and returns what became of it. `each` may
 * be NULL; it returns MNL_CB_OK, or MNL_CB_ERROR with errno.
 */
int wqm_netlink_ask(struct wqm_netlink *netlink, struct nlmsghdr *request, mnl_cb_t each,
		    void *data);

/* What went wrong, in the kernel's words; the text is overwritten by the next one. */
const char *wqm_netlink_why(const struct wqm_netlink *netlink, int error);

/*
 * What wqm_netlink_ask() does with one datagram of answers. Returns 1 if there are more
 * to come, 0 if that was all, or -errno.
 */
int wqm_netlink_answers(const void *datagram, size_t bytes, unsigned int sequence,
			mnl_cb_t each, void *data, struct wqm_explanation *explanation);

#endif
