// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A question to the kernel over netlink, and its answers.
 *
 * The library is libmnl. It is small (20 kB, which iproute2 brings along anyway),
 * never allocates while it parses, and works on any buffer, so that the tests can give
 * it what no kernel would say. libnl would hold whole objects of links, qdiscs and
 * stations in caches, of which one number each is wanted here, and knows nothing of
 * nl80211 either.
 *
 * A request is always to be acknowledged. So the answers end with an error's number,
 * which may be 0, or, those of a dump, with NLMSG_DONE, which may have one, too.
 */
#include <errno.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

#include "attributes.h"
#include "netlink.h"

/* The kernel fills no more than 32 KiB at a time, and cuts nothing for this buffer. */
#define DATAGRAM_BYTES	32768
#define ANSWER_WITHIN_S	2

struct netlink_reading {
	mnl_cb_t each;
	void *data;
	struct wqm_explanation *explanation;
	int error;	/* -errno */
};

static int netlink_each(const struct nlmsghdr *message, void *data)
{
	struct netlink_reading *reading = data;

	return reading->each ? reading->each(message, reading->data) : MNL_CB_OK;
}

/* After the error's number there is the request, or its header alone. */
static void netlink_explain(const struct nlmsghdr *message,
			    struct wqm_explanation *explanation)
{
	const struct nlmsgerr *error = mnl_nlmsg_get_payload(message);
	size_t offset = sizeof(*error), bytes = mnl_nlmsg_get_payload_len(message);
	const struct nlattr *attribute;

	if (bytes < offset || !(message->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	if (!(message->nlmsg_flags & NLM_F_CAPPED)) {
		if (error->msg.nlmsg_len < sizeof(error->msg) || error->msg.nlmsg_len > bytes)
			return;
		offset += error->msg.nlmsg_len - sizeof(error->msg);
	}
	if (offset > bytes)
		return;
	mnl_attr_for_each(attribute, message, offset) {
		if (mnl_attr_get_type(attribute) == NLMSGERR_ATTR_MSG)
			wqm_attribute_text(attribute, explanation->text,
					   sizeof(explanation->text));
	}
}

/* An error's message and that of a dump's end both begin with -errno, if with anything. */
static int netlink_end(const struct nlmsghdr *message, void *data)
{
	struct netlink_reading *reading = data;
	int error = 0;

	if (mnl_nlmsg_get_payload_len(message) >= sizeof(error))
		memcpy(&error, mnl_nlmsg_get_payload(message), sizeof(error));
	reading->error = error < 0 ? error : 0;
	if (message->nlmsg_type == NLMSG_ERROR && error < 0)
		netlink_explain(message, reading->explanation);
	return MNL_CB_STOP;
}

/*
 * The bytes up to the first message that is not whole, with its padding. libmnl takes a
 * length of 2^31 and more for a negative one, and so for one that there is room for, and
 * looks for attributes in a message's padding.
 */
static size_t netlink_whole(const void *datagram, size_t bytes)
{
	const struct nlmsghdr *message;
	size_t offset = 0;

	while (bytes - offset >= sizeof(*message)) {
		message = (const void *)((const char *)datagram + offset);
		if (message->nlmsg_len < sizeof(*message) ||
		    MNL_ALIGN((size_t)message->nlmsg_len) > bytes - offset)
			break;
		offset += MNL_ALIGN((size_t)message->nlmsg_len);
	}
	return offset;
}

int wqm_netlink_answers(const void *datagram, size_t bytes, unsigned int sequence,
			mnl_cb_t each, void *data, struct wqm_explanation *explanation)
{
	mnl_cb_t control[] = { [NLMSG_ERROR] = netlink_end, [NLMSG_DONE] = netlink_end };
	struct netlink_reading reading = { each, data, explanation, 0 };
	int more;

	more = mnl_cb_run2(datagram, netlink_whole(datagram, bytes), sequence, 0, netlink_each,
			   &reading, control, MNL_ARRAY_SIZE(control));
	if (more < 0)
		return -errno;
	return more ? 1 : reading.error;
}

int wqm_netlink_open(struct wqm_netlink *netlink, int bus, unsigned int port)
{
	struct timeval patience = { .tv_sec = ANSWER_WITHIN_S };
	int error, yes = 1;

	memset(netlink, 0, sizeof(*netlink));
	netlink->socket = mnl_socket_open2(bus, SOCK_CLOEXEC);
	if (!netlink->socket)
		return -errno;
	/* Explanations are as well done without, where the kernel is too old for them. */
	mnl_socket_setsockopt(netlink->socket, NETLINK_EXT_ACK, &yes, sizeof(yes));
	mnl_socket_setsockopt(netlink->socket, NETLINK_CAP_ACK, &yes, sizeof(yes));
	if (setsockopt(mnl_socket_get_fd(netlink->socket), SOL_SOCKET, SO_RCVTIMEO, &patience,
		       sizeof(patience)) ||
	    mnl_socket_bind(netlink->socket, 0, port)) {
		error = -errno;
		wqm_netlink_close(netlink);
		return error;
	}
	return 0;
}

void wqm_netlink_close(struct wqm_netlink *netlink)
{
	if (netlink->socket)
		mnl_socket_close(netlink->socket);
	netlink->socket = NULL;
}

const char *wqm_netlink_why(const struct wqm_netlink *netlink, int error)
{
	static char why[256];
	const char *explanation = netlink->explanation.text;

	snprintf(why, sizeof(why), "%s%s%s%s", strerror(-error), explanation[0] ? " (" : "",
		 explanation, explanation[0] ? ")" : "");
	return why;
}

struct nlmsghdr *wqm_netlink_request(struct wqm_request *request, int type, int flags,
				     size_t header_bytes)
{
	struct nlmsghdr *message = mnl_nlmsg_put_header(request->bytes);

	message->nlmsg_type = type;
	message->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags;
	mnl_nlmsg_put_extra_header(message, header_bytes);
	return message;
}

int wqm_netlink_ask(struct wqm_netlink *netlink, struct nlmsghdr *request, mnl_cb_t each,
		    void *data)
{
	static char datagram[DATAGRAM_BYTES] __attribute__((aligned(8)));
	const struct nlmsghdr *first = (const void *)datagram;
	ssize_t bytes;
	int more = 1;

	netlink->explanation.text[0] = '\0';
	request->nlmsg_seq = ++netlink->sequence;
	if (mnl_socket_sendto(netlink->socket, request, request->nlmsg_len) < 0)
		return -errno;
	while (more == 1) {
		bytes = mnl_socket_recvfrom(netlink->socket, datagram, sizeof(datagram));
		/* It was stopped, and goes on. */
		if (bytes < 0 && errno == EINTR)
			continue;
		if (bytes < 0)
			return -errno;
		/* An answer to a request that was given up is not one to this. */
		if (mnl_nlmsg_ok(first, bytes) && first->nlmsg_seq != netlink->sequence)
			continue;
		more = wqm_netlink_answers(datagram, bytes, netlink->sequence, each, data,
					   &netlink->explanation);
	}
	return more;
}
