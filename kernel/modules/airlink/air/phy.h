/* SPDX-License-Identifier: GPL-2.0 */
/* Rates, bands, and the time that a PPDU takes on the air; see phy.c. */
#ifndef AIRLINK_PHY_H
#define AIRLINK_PHY_H

#include <linux/types.h>

enum al_phy {
	AL_PHY_LEGACY,		/* OFDM, 20 MHz */
	AL_PHY_HT,		/* 802.11n, mixed format */
	AL_PHY_VHT,		/* 802.11ac, SU */
	AL_PHY_HE,		/* 802.11ax, SU */
	AL_PHY_COUNT
};

struct al_rate {
	u8 phy;			/* enum al_phy */
	u8 mcs;			/* VHT's and HE's; HT: that of each stream;
				 * legacy: 0 to 7 are 6 to 54 Mbit/s
				 */
	u8 streams;		/* 1..4 */
	u8 width_mhz;		/* 20, 40, 80, 160 */
	u16 gi_ns;		/* 400 or 800; HE: 800, 1600 or 3200 */
};

/* What all stations of a band have in common: tables 17-21 (OFDM, 5 GHz) and 18-5
 * (ERP, 2.4 GHz, short slot).
 */
struct al_band {
	u32 slot_ns;
	u32 sifs_ns;
	u32 extension_ns;	/* silence that ends each OFDM PPDU, 18.3.2.4 */
};

extern const struct al_rate al_rate_lowest;	/* legacy, 6 Mbit/s */
extern const struct al_band al_band_2ghz;
extern const struct al_band al_band_5ghz;

/* aRxPHYStartDelay of OFDM: a PPDU is noticed so long after it has begun. */
#define AL_RX_START_DELAY_NS	20000U

/* Bytes of control frames, with FCS. */
#define AL_ACK_BYTES		14U
#define AL_CTS_BYTES		14U
#define AL_RTS_BYTES		20U
#define AL_BA_BYTES		32U	/* with a bitmap of AL_BA_FRAMES */
#define AL_BA_WIDE_BYTES	56U	/* with a bitmap of 256 */

/* A larger block ack window needs the wide bitmap. */
#define AL_BA_FRAMES		64U

bool al_rate_valid(const struct al_rate *rate);
u32 al_rate_kbps(const struct al_rate *rate);
u32 al_ppdu_ns(const struct al_rate *rate, const struct al_band *band,
	       u32 psdu_bytes);
u32 al_psdu_bytes_within(const struct al_rate *rate,
			 const struct al_band *band, u32 limit_ns);
struct al_rate al_response_rate(const struct al_rate *rate);
u32 al_control_ns(const struct al_rate *eliciting, const struct al_band *band,
		  u32 bytes);
u32 al_ack_timeout_ns(const struct al_band *band);
u32 al_eifs_minus_difs_ns(const struct al_band *band);

#endif /* AIRLINK_PHY_H */
