/* SPDX-License-Identifier: GPL-2.0 */
/* How busy the channel is; see survey.c. */
#ifndef AIRLINK_SOFTMAC_SURVEY_H
#define AIRLINK_SOFTMAC_SURVEY_H

struct al_softmac;
struct ieee80211_hw;
struct survey_info;

void al_softmac_survey_start(struct al_softmac *softmac);
int al_softmac_get_survey(struct ieee80211_hw *hw, int index,
			  struct survey_info *survey);

#endif /* AIRLINK_SOFTMAC_SURVEY_H */
