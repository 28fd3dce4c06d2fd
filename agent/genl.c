// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Generic netlink: requests whose payload the host has made.
 *
 *   genl NODE FAMILY HEX
 *
 * HEX is what follows the netlink header: generic netlink's own header, and
 * attributes. The host does not know which number the kernel gives the family,
 * so that is asked for here.
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent.h"
#include "attribute.h"
#include "genl.h"

#define FAMILY_NAME_MAX	16	/* GENL_NAMSIZ */

void genl_send(const struct genl *genl, int flags, const void *payload, size_t bytes)
{
	char request[NLMSG_HDRLEN + GENL_REQUEST_MAX];
	struct nlmsghdr header = {
		.nlmsg_len = NLMSG_HDRLEN + bytes,
		.nlmsg_type = genl->family,
		.nlmsg_flags = NLM_F_REQUEST | flags,
	};

	memcpy(request, &header, sizeof(header));
	memcpy(request + NLMSG_HDRLEN, payload, bytes);
	if (send(genl->fd, request, header.nlmsg_len, 0) != (ssize_t)header.nlmsg_len)
		die_errno("cannot send a request to %s", genl->name);
}

const char *genl_explanation(const struct nlmsghdr *message)
{
	const struct nlmsgerr *error = NLMSG_DATA(message);
	size_t skip = sizeof(*error);
	const struct nlattr *text;

	if (!(message->nlmsg_flags & NLM_F_ACK_TLVS))
		return "";
	if (!(message->nlmsg_flags & NLM_F_CAPPED))
		skip += NLMSG_ALIGN(error->msg.nlmsg_len) - NLMSG_HDRLEN;
	text = attribute_in((const char *)error + skip, NLMSG_PAYLOAD(message, skip),
			    NLMSGERR_ATTR_MSG);
	return text ? attribute_payload(text) : "";
}

/* The kernel's next message. If it is an error, the guest ends. */
static const struct nlmsghdr *receive(const struct genl *genl)
{
	static char answer[GENL_ANSWER_MAX] __attribute__((aligned(NLMSG_ALIGNTO)));
	const struct nlmsghdr *message = (void *)answer;
	const struct nlmsgerr *error = NLMSG_DATA(message);
	ssize_t length = recv(genl->fd, answer, sizeof(answer), 0);

	if (length < 0)
		die_errno("cannot read an answer of %s", genl->name);
	if (!NLMSG_OK(message, (size_t)length))
		die("%s answers with half a message", genl->name);
	if (message->nlmsg_type == NLMSG_ERROR && error->error)
		die("%s refuses: %s (%s)", genl->name, genl_explanation(message),
		    strerror(-error->error));
	return message;
}

struct genl genl_open(const char *name)
{
	struct {
		struct genlmsghdr header;
		struct nlattr attribute;
		char name[FAMILY_NAME_MAX];
	} request = {
		.header = { .cmd = CTRL_CMD_GETFAMILY, .version = 1 },
		.attribute = { .nla_type = CTRL_ATTR_FAMILY_NAME },
	};
	struct genl genl = { .name = name, .family = GENL_ID_CTRL };
	const struct nlmsghdr *answer;
	const struct nlattr *number;
	int on = 1;

	if (strlen(name) >= FAMILY_NAME_MAX)
		die("plan: no family has a name as long as '%s'", name);
	strcpy(request.name, name);
	request.attribute.nla_len = NLA_HDRLEN + strlen(name) + 1;
	genl.fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (genl.fd < 0 ||
	    setsockopt(genl.fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on)))
		die_errno("no generic netlink");
	genl_send(&genl, 0, &request,
		     GENL_HDRLEN + NLA_ALIGN(request.attribute.nla_len));
	answer = receive(&genl);
	number = genl_attribute(answer, CTRL_ATTR_FAMILY_ID);
	if (!number)
		die("generic netlink does not say which number %s has", name);
	attribute_copy(&genl.family, sizeof(genl.family), number);
	return genl;
}

struct genl_request genl_bytes(const char *hex)
{
	struct genl_request request;

	request.bytes = word_bytes(hex, request.payload, sizeof(request.payload));
	return request;
}

struct genl_request genl_request(const char *hex)
{
	struct genl_request request = genl_bytes(hex);

	if (request.bytes < GENL_HDRLEN)
		die("plan: '%.40s' is no request", hex);
	return request;
}

const struct nlmsghdr *genl_ask(const struct genl *genl, const struct genl_request *request)
{
	const struct nlmsghdr *answer;

	genl_send(genl, 0, request->payload, request->bytes);
	answer = receive(genl);
	if (answer->nlmsg_type != genl->family)
		die("%s has no answer", genl->name);
	return answer;
}

const struct nlattr *genl_attribute(const struct nlmsghdr *answer, int type)
{
	return attribute_in((const char *)NLMSG_DATA(answer) + GENL_HDRLEN,
			    NLMSG_PAYLOAD(answer, GENL_HDRLEN), type);
}

void genl_tell(const char *family, const struct genl_request *request)
{
	struct genl genl = genl_open(family);

	genl_send(&genl, NLM_F_ACK, request->payload, request->bytes);
	while (receive(&genl)->nlmsg_type != NLMSG_ERROR)
		;
	close(genl.fd);
}

void genl_in_node(const char *node, const char *family, const char *hex)
{
	struct genl_request request = genl_request(hex);

	visit_node(node);
	genl_tell(family, &request);
	leave_node();
}
