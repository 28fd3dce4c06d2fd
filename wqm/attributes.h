/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values of netlink's attributes, whatever their length says: a getter stores nothing
 * and is false if there are fewer bytes than the value has. libmnl's own read on.
 */
#ifndef WQM_ATTRIBUTES_H
#define WQM_ATTRIBUTES_H

#include <libmnl/libmnl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline bool wqm_attribute_copy(const struct nlattr *attribute, void *value,
				      size_t bytes)
{
	if (mnl_attr_get_payload_len(attribute) < bytes)
		return false;
	memcpy(value, mnl_attr_get_payload(attribute), bytes);
	return true;
}

static inline bool wqm_attribute_u16(const struct nlattr *attribute, uint16_t *value)
{
	return wqm_attribute_copy(attribute, value, sizeof(*value));
}

static inline bool wqm_attribute_u32(const struct nlattr *attribute, uint32_t *value)
{
	return wqm_attribute_copy(attribute, value, sizeof(*value));
}

static inline bool wqm_attribute_u64(const struct nlattr *attribute, uint64_t *value)
{
	return wqm_attribute_copy(attribute, value, sizeof(*value));
}

/* A text that may have no end of its own. What does not fit is cut off. */
static inline void wqm_attribute_text(const struct nlattr *attribute, char *text,
				      size_t room)
{
	size_t bytes = mnl_attr_get_payload_len(attribute);

	if (bytes >= room)
		bytes = room - 1;
	memcpy(text, mnl_attr_get_payload(attribute), bytes);
	text[bytes] = '\0';
}

#endif
