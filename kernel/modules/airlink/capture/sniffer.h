/* SPDX-License-Identifier: GPL-2.0 */
/* A network device that shows all that is on a medium; see sniffer.c. */
#ifndef AIRLINK_SNIFFER_H
#define AIRLINK_SNIFFER_H

struct al_exchange;
struct al_medium;
struct net;
struct netlink_ext_ack;

int al_sniffer_create(struct al_medium *medium, struct net *net,
		      const char *name, struct netlink_ext_ack *extack);
void al_sniffer_destroy(struct al_medium *medium);
void al_sniff(const struct al_exchange *exchange);

#endif /* AIRLINK_SNIFFER_H */
