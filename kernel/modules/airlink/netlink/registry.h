/* SPDX-License-Identifier: GPL-2.0 */
/* The media that there are, by number. Whoever makes, finds or removes a medium or
 * a radio holds al_mutex.
 */
#ifndef AIRLINK_REGISTRY_H
#define AIRLINK_REGISTRY_H

#include <linux/mutex.h>

#include "air/medium.h"

extern struct mutex al_mutex;
extern struct list_head al_media;

struct al_medium *al_registry_find(u32 id);
int al_registry_add(u32 id, const struct al_band *band, u64 seed);
void al_registry_remove(struct al_medium *medium);
void al_registry_clear(void);

#endif /* AIRLINK_REGISTRY_H */
