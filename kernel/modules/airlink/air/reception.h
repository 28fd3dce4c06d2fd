/* SPDX-License-Identifier: GPL-2.0 */
/* The receiving side of an exchange; see reception.c. */
#ifndef AIRLINK_RECEPTION_H
#define AIRLINK_RECEPTION_H

#include <linux/types.h>

struct al_exchange;
struct al_radio;

bool al_reception_decodes(const struct al_exchange *exchange,
			  const struct al_radio *radio);
bool al_reception_unicast(struct al_exchange *exchange, struct al_radio *to);
void al_reception_multicast(struct al_exchange *exchange);
void al_reception_overheard(struct al_exchange *exchange);

#endif /* AIRLINK_RECEPTION_H */
