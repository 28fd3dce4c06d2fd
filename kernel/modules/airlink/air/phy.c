// SPDX-License-Identifier: GPL-2.0
/*
 * How long a PPDU is on the air. IEEE 802.11-2020, clauses 17 (OFDM), 19 (HT, mixed
 * format) and 21 (VHT, SU), and 802.11ax-2021, clause 27 (HE SU):
 *
 *	preamble + symbols * time of a symbol + signal extension
 *
 * Preambles, in us, with N_LTF training fields of 4 us (HE: of 6.4 or 12.8 and
 * the guard interval):
 *
 *	legacy	16 + 4				L-STF, L-LTF; L-SIG
 *	HT	20 + 8 + 4 + 4 N_LTF		HT-SIG, HT-STF
 *	VHT	20 + 8 + 4 + 4 N_LTF + 4	VHT-SIG-A, -STF, -SIG-B
 *	HE	20 + 4 + 8 + 4 + N_LTF (LTF+GI)	RL-SIG, HE-SIG-A, HE-STF
 *
 * N_LTF is 1, 2, 4, 4 for 1 to 4 streams. HE takes 2x LTF with guard intervals
 * of 0.8 and 1.6 us, and 4x LTF with 3.2 us (27.3.11.10 allows others).
 *
 * Symbols are ceil((16 + 8 L + tail) / N_DBPS): 16 bits of SERVICE; the tail is 6
 * bits for each BCC encoder (legacy, HT, VHT), none with the LDPC code of HE. With
 * HT's and VHT's short guard interval the data field is rounded up to a multiple
 * of 4 us (19.4.3, 21.4.3). HE has no packet extension here (27.3.13 has 0 to
 * 16 us, which the receiver asks for), nor the extra symbol that LDPC may need.
 *
 * All functions are pure. Lengths are those of a PSDU, in bytes; times are in ns.
 */

#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "air/phy.h"

#define SERVICE_BITS	16
#define TAIL_BITS	6

/* The preambles above, without their training fields. */
#define LEGACY_PREAMBLE_NS	20000U
#define HT_PREAMBLE_NS		(LEGACY_PREAMBLE_NS + 8000U + 4000U)
#define VHT_PREAMBLE_NS		(LEGACY_PREAMBLE_NS + 8000U + 4000U + 4000U)
#define HE_PREAMBLE_NS		(LEGACY_PREAMBLE_NS + 4000U + 8000U + 4000U)

/* Training fields: HT's and VHT's with guard interval, HE's without. */
#define LTF_NS			4000U
#define HE_LTF_2X_NS		6400U
#define HE_LTF_4X_NS		12800U

/* Symbols without their guard interval. */
#define SYMBOL_NS		3200U
#define HE_SYMBOL_NS		12800U

#define LONG_SYMBOL_NS		4000U	/* the guard interval is 0.8 us */

const struct al_rate al_rate_lowest = {
	.phy = AL_PHY_LEGACY,
	.mcs = 0,
	.streams = 1,
	.width_mhz = 20,
	.gi_ns = 800,
};

const struct al_band al_band_2ghz = {
	.slot_ns = 9000,
	.sifs_ns = 10000,
	.extension_ns = 6000,
};

const struct al_band al_band_5ghz = {
	.slot_ns = 9000,
	.sifs_ns = 16000,
	.extension_ns = 0,
};

/* Data bits that a subcarrier has in a symbol, times 12, by MCS. */
static const u8 coded_bits_x12[] = {
	6, 12, 18, 24, 36, 48, 54, 60, 72, 80, 90, 100
};

static const u8 legacy_dbps[] = { 24, 36, 48, 72, 96, 144, 192, 216 };

/* Data subcarriers of 20, 40, 80 and 160 MHz. */
static const u16 ht_subcarriers[] = { 52, 108, 234, 468 };
static const u16 he_subcarriers[] = { 234, 468, 980, 1960 };

static const u8 training_fields[] = { 0, 1, 2, 4, 4 };

/* Returns 0 for 20 MHz, 1 for 40, 2 for 80, 3 for 160; -1 for anything else. */
static int phy_width_index(u8 width_mhz)
{
	switch (width_mhz) {
	case 20:
		return 0;
	case 40:
		return 1;
	case 80:
		return 2;
	case 160:
		return 3;
	default:
		return -1;
	}
}

static u32 phy_data_bits_per_symbol(const struct al_rate *rate)
{
	const u16 *subcarriers = rate->phy == AL_PHY_HE ? he_subcarriers :
							  ht_subcarriers;

	if (rate->phy == AL_PHY_LEGACY)
		return legacy_dbps[rate->mcs];
	return subcarriers[phy_width_index(rate->width_mhz)] * rate->streams *
	       coded_bits_x12[rate->mcs] / 12;
}

static u32 phy_symbol_ns(const struct al_rate *rate)
{
	if (rate->phy == AL_PHY_HE)
		return HE_SYMBOL_NS + rate->gi_ns;
	return SYMBOL_NS + rate->gi_ns;
}

u32 al_rate_kbps(const struct al_rate *rate)
{
	return div_u64((u64)phy_data_bits_per_symbol(rate) * 1000000,
		       phy_symbol_ns(rate));
}

/* Tables 19-27 ff.: HT needs a second encoder above 300 Mbit/s. Tables 21-29 ff.:
 * VHT needs one for each 600 Mbit/s at the short guard interval's rate, but more
 * where the coded bits would not divide evenly among them.
 */
static u32 phy_bcc_encoders(const struct al_rate *rate)
{
	struct al_rate fast = *rate;
	u32 kbps;

	if (rate->phy != AL_PHY_HT && rate->phy != AL_PHY_VHT)
		return 1;
	fast.gi_ns = 400;
	kbps = al_rate_kbps(&fast);
	if (rate->phy == AL_PHY_HT)
		return kbps > 300000 ? 2 : 1;
	if (rate->width_mhz == 160 && rate->streams == 4 && rate->mcs == 7)
		return 6;
	return DIV_ROUND_UP(kbps, 600000);
}

/* VHT has no rate where the bits of a symbol do not come out even: tables 21-38 ff.
 * These are the ones of up to four streams.
 */
static bool phy_vht_undefined(const struct al_rate *rate)
{
	switch (rate->width_mhz) {
	case 20:
		return rate->mcs == 9 && rate->streams != 3;
	case 80:
		return rate->mcs == 6 && rate->streams == 3;
	case 160:
		return rate->mcs == 9 && rate->streams == 3;
	default:
		return false;
	}
}

/* Returns whether the standard has such a rate, with up to four streams. */
bool al_rate_valid(const struct al_rate *rate)
{
	bool short_gi = rate->gi_ns == 400, long_gi = rate->gi_ns == 800;
	int width = phy_width_index(rate->width_mhz);

	if (width < 0 || rate->streams < 1 || rate->streams > 4)
		return false;

	switch (rate->phy) {
	case AL_PHY_LEGACY:
		return rate->mcs <= 7 && rate->streams == 1 && width == 0 &&
		       long_gi;
	case AL_PHY_HT:
		return rate->mcs <= 7 && width <= 1 && (long_gi || short_gi);
	case AL_PHY_VHT:
		return rate->mcs <= 9 && (long_gi || short_gi) &&
		       !phy_vht_undefined(rate);
	case AL_PHY_HE:
		return rate->mcs <= 11 &&
		       (long_gi || rate->gi_ns == 1600 || rate->gi_ns == 3200);
	default:
		return false;
	}
}

static u32 phy_preamble_ns(const struct al_rate *rate)
{
	u32 fields = training_fields[rate->streams];
	u32 he_ltf_ns = rate->gi_ns == 3200 ? HE_LTF_4X_NS : HE_LTF_2X_NS;

	switch (rate->phy) {
	case AL_PHY_HT:
		return HT_PREAMBLE_NS + LTF_NS * fields;
	case AL_PHY_VHT:
		return VHT_PREAMBLE_NS + LTF_NS * fields;
	case AL_PHY_HE:
		return HE_PREAMBLE_NS + (he_ltf_ns + rate->gi_ns) * fields;
	default:
		return LEGACY_PREAMBLE_NS;
	}
}

static u32 phy_tail_bits(const struct al_rate *rate)
{
	return rate->phy == AL_PHY_HE ? 0 : TAIL_BITS * phy_bcc_encoders(rate);
}

static bool phy_rounds_to_long_symbols(const struct al_rate *rate)
{
	return rate->gi_ns == 400;
}

u32 al_ppdu_ns(const struct al_rate *rate, const struct al_band *band,
	       u32 psdu_bytes)
{
	u64 bits = SERVICE_BITS + 8ULL * psdu_bytes + phy_tail_bits(rate);
	u32 dbps = phy_data_bits_per_symbol(rate);
	u64 data_ns = div_u64(bits + dbps - 1, dbps) * phy_symbol_ns(rate);

	if (phy_rounds_to_long_symbols(rate))
		data_ns = div_u64(data_ns + LONG_SYMBOL_NS - 1,
				  LONG_SYMBOL_NS) * LONG_SYMBOL_NS;
	return min_t(u64, phy_preamble_ns(rate) + data_ns + band->extension_ns,
		     U32_MAX);
}

/* Returns the length of the longest PSDU whose PPDU takes no more than @limit_ns; 0
 * if even an empty one takes longer.
 */
u32 al_psdu_bytes_within(const struct al_rate *rate,
			 const struct al_band *band, u32 limit_ns)
{
	u32 fixed_ns = phy_preamble_ns(rate) + band->extension_ns;
	u64 bits, overhead = SERVICE_BITS + phy_tail_bits(rate);
	u32 data_ns;

	if (limit_ns < fixed_ns)
		return 0;
	data_ns = limit_ns - fixed_ns;
	if (phy_rounds_to_long_symbols(rate))
		data_ns = rounddown(data_ns, LONG_SYMBOL_NS);
	bits = (u64)(data_ns / phy_symbol_ns(rate)) *
	       phy_data_bits_per_symbol(rate);
	return bits > overhead ? div_u64(bits - overhead, 8) : 0;
}

/*
 * Returns the rate of an answer to a frame at @rate: the highest of 6, 12 and 24
 * Mbit/s (the mandatory rates, which a BSS has as its basic ones) that is not above
 * the frame's own. An HT, VHT or HE frame counts as one at the legacy rate of the
 * same modulation and coding, whatever its streams and width (10.6.6.5.2, 10.6.11).
 */
struct al_rate al_response_rate(const struct al_rate *rate)
{
	static const u8 of_legacy[] = { 0, 0, 2, 2, 4, 4, 4, 4 };
	static const u8 of_others[] = { 0, 2, 2, 4, 4, 4, 4, 4, 4, 4, 4, 4 };
	struct al_rate response = al_rate_lowest;

	response.mcs = rate->phy == AL_PHY_LEGACY ? of_legacy[rate->mcs] :
						    of_others[rate->mcs];
	return response;
}

/* Returns the time of a control frame that belongs to a frame at @eliciting. */
u32 al_control_ns(const struct al_rate *eliciting, const struct al_band *band,
		  u32 bytes)
{
	struct al_rate rate = al_response_rate(eliciting);

	return al_ppdu_ns(&rate, band, bytes);
}

/* Returns how long a sender waits for an answer, from the end of its frame
 * (10.3.2.11).
 */
u32 al_ack_timeout_ns(const struct al_band *band)
{
	return band->sifs_ns + band->slot_ns + AL_RX_START_DELAY_NS;
}

/* Returns how much longer than DIFS a station waits that could not decode a frame:
 * long enough for an ACK at the lowest rate (10.3.7).
 */
u32 al_eifs_minus_difs_ns(const struct al_band *band)
{
	return band->sifs_ns + al_ppdu_ns(&al_rate_lowest, band, AL_ACK_BYTES);
}
