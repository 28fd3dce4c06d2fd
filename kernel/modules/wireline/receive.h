/* SPDX-License-Identifier: GPL-2.0 */
/* How received frames go up, in NAPI context; receive.c has the rules. */
#ifndef WIRELINE_RECEIVE_H
#define WIRELINE_RECEIVE_H

struct napi_struct;

int wireline_receive_poll(struct napi_struct *napi, int budget);

#endif /* WIRELINE_RECEIVE_H */
