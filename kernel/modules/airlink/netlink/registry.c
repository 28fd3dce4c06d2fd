// SPDX-License-Identifier: GPL-2.0
/* The media that there are, by number. */

#include "capture/sniffer.h"
#include "netlink/registry.h"
#include "radio/radio.h"

/* Guards which media and radios there are; see registry.h. */
DEFINE_MUTEX(al_mutex);
LIST_HEAD(al_media);

/* Returns NULL if there is no such medium. */
struct al_medium *al_registry_find(u32 id)
{
	struct al_medium *medium;

	lockdep_assert_held(&al_mutex);
	list_for_each_entry(medium, &al_media, all)
		if (medium->id == id)
			return medium;
	return NULL;
}

/* Errors: -EEXIST, -ENOMEM. */
int al_registry_add(u32 id, const struct al_band *band, u64 seed)
{
	struct al_medium *medium;

	if (al_registry_find(id))
		return -EEXIST;
	medium = al_medium_create(id, band, seed);
	if (!medium)
		return -ENOMEM;
	list_add_tail(&medium->all, &al_media);
	return 0;
}

/* Removes a medium, its radios and its sniffer. */
void al_registry_remove(struct al_medium *medium)
{
	struct al_radio *radio;

	lockdep_assert_held(&al_mutex);
	while ((radio = list_first_entry_or_null(&medium->radios,
						 struct al_radio, node)))
		radio->ops->remove(radio);
	al_sniffer_destroy(medium);
	list_del(&medium->all);
	al_medium_destroy(medium);
}

void al_registry_clear(void)
{
	struct al_medium *medium, *next;

	list_for_each_entry_safe(medium, next, &al_media, all)
		al_registry_remove(medium);
}
