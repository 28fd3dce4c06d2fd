/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests by generic netlink; genl.c. */
#ifndef TSQLAB_GENL_H
#define TSQLAB_GENL_H

#include <linux/netlink.h>
#include <stddef.h>
#include <stdint.h>

#define GENL_REQUEST_MAX	4096
#define GENL_ANSWER_MAX		65536

struct genl {
	const char *name;		/* of the family, */
	uint16_t family;		/* and its number */
	int fd;
};

struct genl_request {
	size_t bytes;
	unsigned char payload[GENL_REQUEST_MAX];
};

struct genl genl_open(const char *name);
struct genl_request genl_request(const char *hex);
/* The answer stays until the next call. */
const struct nlmsghdr *genl_ask(const struct genl *genl, const struct genl_request *request);
/* An attribute of that type among attributes, or NULL. */
const struct nlattr *attribute_in(const void *attributes, size_t bytes, int type);

#endif
