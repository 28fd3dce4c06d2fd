/* SPDX-License-Identifier: GPL-2.0 */
/* A channel access function of a radio; edca.c has the rules of the countdown. */
#ifndef AIRLINK_EDCA_H
#define AIRLINK_EDCA_H

#include <linux/list.h>
#include <linux/types.h>

struct al_medium;
struct al_radio;

/* In the order of mac80211: the lower, the more urgent. */
enum al_ac { AL_AC_VO, AL_AC_VI, AL_AC_BE, AL_AC_BK, AL_ACS };

#define AL_NEVER_NS	U64_MAX

struct al_edca_params {
	u8 aifsn;
	u16 cw_min, cw_max;	/* slots */
	u32 txop_us;		/* 0: one exchange */
};

extern const struct al_edca_params al_edca_defaults[AL_ACS];

struct al_edcaf {
	/* Set once. */
	struct al_radio *radio;
	u8 ac;

	struct al_edca_params params;
	u16 cw;
	u16 slots;		/* left to count */
	u64 asked_ns;		/* when the first PPDU came to be ready */
	struct list_head node;	/* in medium->contenders, if PPDUs are ready */
	struct list_head ready;	/* al_ppdu; the first may be on the air */
	u8 aggregates, singles;	/* of these */
	struct list_head backlog;	/* al_queue, for the front ends that
					 * leave the order to us
					 */
};

void al_edcaf_init(struct al_edcaf *edcaf, struct al_radio *radio, u8 ac);
void al_edcaf_configure(struct al_edcaf *edcaf,
			const struct al_edca_params *params);
u64 al_edcaf_access_ns(const struct al_edcaf *edcaf);
void al_edcaf_freeze(struct al_edcaf *edcaf, u64 now_ns);
void al_edcaf_ask(struct al_edcaf *edcaf, u64 now_ns);
void al_edcaf_succeeded(struct al_edcaf *edcaf);
void al_edcaf_failed(struct al_edcaf *edcaf);

#endif /* AIRLINK_EDCA_H */
