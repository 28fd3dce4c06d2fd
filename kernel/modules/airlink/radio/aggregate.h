/* SPDX-License-Identifier: GPL-2.0 */
/* Forming PPDUs of what waits: A-MPDUs and lone frames; see aggregate.c. */
#ifndef AIRLINK_AGGREGATE_H
#define AIRLINK_AGGREGATE_H

#include <linux/types.h>

struct al_edcaf;
struct al_queue;

bool al_aggregate_has_room(const struct al_edcaf *edcaf,
			   const struct al_queue *queue);
bool al_aggregate_form(struct al_edcaf *edcaf, struct al_queue *queue);
void al_aggregate_fill_in_turn(struct al_edcaf *edcaf);
void al_aggregate_fill(struct al_edcaf *edcaf);

#endif /* AIRLINK_AGGREGATE_H */
