/* SPDX-License-Identifier: GPL-2.0 */
/* A channel access function (EDCAF) of a radio; see edca.c. */
#ifndef AIRLINK_EDCA_H
#define AIRLINK_EDCA_H

#include <linux/list.h>
#include <linux/types.h>

struct al_medium;
struct al_radio;

/* Access categories. As with mac80211 the lower number is the more urgent one. */
enum al_ac { AL_AC_VO, AL_AC_VI, AL_AC_BE, AL_AC_BK, AL_ACS };

#define AL_NEVER_NS	U64_MAX

struct al_edca_params {
	u8 aifsn;
	u16 cw_min;		/* slots */
	u16 cw_max;		/* slots */
	u32 txop_us;		/* 0: a TXOP is one exchange */
};

extern const struct al_edca_params al_edca_defaults[AL_ACS];

struct al_edcaf {
	/* These are set once. */
	struct al_radio *radio;
	u8 ac;			/* enum al_ac */

	struct al_edca_params params;
	u16 cw;			/* the contention window, in slots */
	u16 slots;		/* the backoff counter */
	u64 asked_ns;		/* when it last began to contend */
	struct list_head node;	/* in medium->contenders, if PPDUs are ready */
	struct list_head ready;	/* al_ppdu; the first may be on the air */
	u8 aggregates;		/* how many A-MPDUs are in ready */
	u8 singles;		/* how many other PPDUs are in ready */
	struct list_head backlog;	/* al_queue that take turns here, and
					 * not in the front end
					 */
};

void al_edcaf_init(struct al_edcaf *edcaf, struct al_radio *radio, u8 ac);
void al_edcaf_configure(struct al_edcaf *edcaf,
			const struct al_edca_params *params);
void al_edcaf_go_on(struct al_edcaf *edcaf);
u64 al_edcaf_access_ns(const struct al_edcaf *edcaf);
void al_edcaf_freeze(struct al_edcaf *edcaf, u64 now_ns);
void al_edcaf_ask(struct al_edcaf *edcaf, u64 now_ns);
void al_edcaf_succeeded(struct al_edcaf *edcaf);
void al_edcaf_failed(struct al_edcaf *edcaf);

#endif /* AIRLINK_EDCA_H */
