// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Netlink's attributes: a length and a type of 16 bits each, then the payload,
 * padded to 4 bytes. The payload of a nest is attributes again. rtnetlink calls
 * the same thing struct rtattr.
 */
#include <string.h>

#include "attribute.h"

/* The attribute that begins there, or NULL if none does that ends before *end*. */
static const struct nlattr *attribute_at(const char *here, const char *end)
{
	const struct nlattr *attribute = (const void *)here;

	if (end - here < NLA_HDRLEN || attribute->nla_len < NLA_HDRLEN ||
	    attribute->nla_len > end - here)
		return NULL;
	return attribute;
}

static const char *behind(const struct nlattr *attribute)
{
	return (const char *)attribute + NLA_ALIGN(attribute->nla_len);
}

const struct nlattr *attribute_in(const void *attributes, size_t bytes, int type)
{
	const char *end = (const char *)attributes + bytes;
	const struct nlattr *attribute = attribute_at(attributes, end);

	while (attribute && (attribute->nla_type & NLA_TYPE_MASK) != type)
		attribute = attribute_at(behind(attribute), end);
	return attribute;
}

const struct nlattr *attribute_next(const struct nlattr *nest, const struct nlattr *previous)
{
	const char *first = attribute_payload(nest);

	return attribute_at(previous ? behind(previous) : first, first + attribute_bytes(nest));
}

const struct nlattr *attribute_in_nest(const struct nlattr *nest, int type)
{
	if (!nest)
		return NULL;
	return attribute_in(attribute_payload(nest), attribute_bytes(nest), type);
}

const void *attribute_payload(const struct nlattr *attribute)
{
	return (const char *)attribute + NLA_HDRLEN;
}

size_t attribute_bytes(const struct nlattr *attribute)
{
	return attribute->nla_len - NLA_HDRLEN;
}

void attribute_copy(void *to, size_t bytes, const struct nlattr *attribute)
{
	size_t there = attribute ? attribute_bytes(attribute) : 0;

	memset(to, 0, bytes);
	if (there)
		memcpy(to, attribute_payload(attribute), there < bytes ? there : bytes);
}
