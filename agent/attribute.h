/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading the attributes of a netlink message; attribute.c. */
#ifndef TSQLAB_ATTRIBUTE_H
#define TSQLAB_ATTRIBUTE_H

#include <linux/netlink.h>
#include <stddef.h>

/* The first attribute of a type among those in so many bytes, or NULL. */
const struct nlattr *attribute_in(const void *attributes, size_t bytes, int type);
/* The same among those inside another one, which may be NULL. */
const struct nlattr *attribute_in_nest(const struct nlattr *nest, int type);

/* The first attribute inside another one, or that behind *previous* there, or NULL. */
const struct nlattr *attribute_next(const struct nlattr *nest, const struct nlattr *previous);

const void *attribute_payload(const struct nlattr *attribute);
size_t attribute_bytes(const struct nlattr *attribute);

/*
 * Copies as much of the payload as there is room for. What the payload lacks
 * becomes zeros: an older kernel's structures end earlier. NULL is all zeros.
 */
void attribute_copy(void *to, size_t bytes, const struct nlattr *attribute);

#endif
