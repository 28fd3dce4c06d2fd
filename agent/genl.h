/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Generic netlink: requests and their answers; genl.c. */
#ifndef TSQLAB_GENL_H
#define TSQLAB_GENL_H

#include <linux/netlink.h>
#include <stddef.h>
#include <stdint.h>

#define GENL_REQUEST_MAX	4096
#define GENL_ANSWER_MAX		65536

/* A socket that talks to one family of generic netlink. */
struct genl {
	const char *name;		/* the family's name */
	uint16_t family;		/* the family's number, which the kernel chooses */
	int fd;
};

/* What follows the netlink header in a request. */
struct genl_request {
	size_t bytes;			/* of the payload */
	unsigned char payload[GENL_REQUEST_MAX];
};

struct genl genl_open(const char *name);
struct genl_request genl_request(const char *hex);
/* The same of bytes that need not be a request at all. */
struct genl_request genl_bytes(const char *hex);
/* Sends what may be a request. */
void genl_send(const struct genl *genl, int flags, const void *payload, size_t bytes);
/* The sentence with which the kernel explains an error, or "" if it has none. */
const char *genl_explanation(const struct nlmsghdr *message);
/* Sends a request and waits for its answer, which stays until the next call. */
const struct nlmsghdr *genl_ask(const struct genl *genl, const struct genl_request *request);
/* Has a family do something; a refusal ends the guest. */
void genl_tell(const char *family, const struct genl_request *request);
/* An attribute of an answer, outside any nest, or NULL. */
const struct nlattr *genl_attribute(const struct nlmsghdr *answer, int type);

#endif
