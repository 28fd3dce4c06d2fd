// SPDX-License-Identifier: GPL-2.0
/*
 * The radiotap header of a captured frame, as www.radiotap.org has it: fields in
 * the order of their numbers, each aligned to its own size, little-endian.
 *
 *	TSFT		us of the monotonic clock at the beginning of the PPDU
 *			(Wireshark: set wlan_radio.tsf_at_end to false)
 *	FLAGS		FCS at end; bad FCS
 *	RATE		legacy
 *	CHANNEL
 *	MCS		HT
 *	AMPDU_STATUS	which A-MPDU it was in, and whether as the last
 *	VHT, HE		VHT, HE
 */

#include <linux/bits.h>
#include <linux/math64.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <net/ieee80211_radiotap.h>

#include "capture/radiotap.h"

#define TAP(name)	IEEE80211_RADIOTAP_##name

static void radiotap_put(struct al_radiotap *tap, const void *value, u8 bytes)
{
	tap->length = round_up(tap->length, bytes);
	if (WARN_ON_ONCE(tap->length + bytes > AL_RADIOTAP_BYTES))
		return;
	memcpy(tap->bytes + tap->length, value, bytes);
	tap->length += bytes;
}

static void radiotap_put8(struct al_radiotap *tap, u8 value)
{
	radiotap_put(tap, &value, sizeof(value));
}

static void radiotap_put16(struct al_radiotap *tap, u16 value)
{
	__le16 bytes = cpu_to_le16(value);

	radiotap_put(tap, &bytes, sizeof(bytes));
}

static void radiotap_put32(struct al_radiotap *tap, u32 value)
{
	__le32 bytes = cpu_to_le32(value);

	radiotap_put(tap, &bytes, sizeof(bytes));
}

static void radiotap_put64(struct al_radiotap *tap, u64 value)
{
	__le64 bytes = cpu_to_le64(value);

	radiotap_put(tap, &bytes, sizeof(bytes));
}

static void radiotap_put_channel(struct al_radiotap *tap, u16 mhz)
{
	tap->present |= BIT(TAP(CHANNEL));
	radiotap_put16(tap, mhz);
	radiotap_put16(tap, IEEE80211_CHAN_OFDM |
			    (mhz < 3000 ? IEEE80211_CHAN_2GHZ :
					  IEEE80211_CHAN_5GHZ));
}

static void radiotap_put_ht(struct al_radiotap *tap, const struct al_rate *rate)
{
	u8 flags = rate->width_mhz == 40 ? TAP(MCS_BW_40) : TAP(MCS_BW_20);

	if (rate->gi_ns == 400)
		flags |= TAP(MCS_SGI);
	tap->present |= BIT(TAP(MCS));
	radiotap_put8(tap, TAP(MCS_HAVE_BW) | TAP(MCS_HAVE_MCS) |
			   TAP(MCS_HAVE_GI) | TAP(MCS_HAVE_FMT) |
			   TAP(MCS_HAVE_FEC) | TAP(MCS_HAVE_STBC));
	radiotap_put8(tap, flags);
	radiotap_put8(tap, rate->mcs + 8 * (rate->streams - 1));
}

/* Returns radiotap's number for a bandwidth that is a whole channel. */
static u8 radiotap_vht_bandwidth(u8 width_mhz)
{
	switch (width_mhz) {
	case 40:
		return 1;
	case 80:
		return 4;
	case 160:
		return 11;
	default:
		return 0;
	}
}

static void radiotap_put_vht(struct al_radiotap *tap,
			     const struct al_rate *rate)
{
	int user;

	tap->present |= BIT(TAP(VHT));
	radiotap_put16(tap, TAP(VHT_KNOWN_STBC) | TAP(VHT_KNOWN_GI) |
			    TAP(VHT_KNOWN_BANDWIDTH));
	radiotap_put8(tap, rate->gi_ns == 400 ? TAP(VHT_FLAG_SGI) : 0);
	radiotap_put8(tap, radiotap_vht_bandwidth(rate->width_mhz));
	radiotap_put8(tap, rate->mcs << 4 | rate->streams);
	for (user = 1; user < 4; user++)
		radiotap_put8(tap, 0);
	radiotap_put8(tap, 0);	/* the coding is BCC */
	radiotap_put8(tap, 0);	/* the group is not known */
	radiotap_put16(tap, 0);	/* nor is the partial AID */
}

/* Returns bandwidth, guard interval and training fields; phy.c has the rules. */
static u16 radiotap_he_data5(const struct al_rate *rate)
{
	static const u8 fields[] = { 0, 0, 1, 2, 2 };	/* for 1, 2, 4 fields */
	u16 bits = fields[rate->streams] << 8;

	bits |= rate->gi_ns == 3200 ? TAP(HE_DATA5_LTF_SIZE_4X) << 6 :
				      TAP(HE_DATA5_LTF_SIZE_2X) << 6;
	if (rate->gi_ns == 1600)
		bits |= TAP(HE_DATA5_GI_1_6) << 4;
	else if (rate->gi_ns == 3200)
		bits |= TAP(HE_DATA5_GI_3_2) << 4;
	if (rate->width_mhz == 40)
		bits |= TAP(HE_DATA5_DATA_BW_RU_ALLOC_40MHZ);
	else if (rate->width_mhz == 80)
		bits |= TAP(HE_DATA5_DATA_BW_RU_ALLOC_80MHZ);
	else if (rate->width_mhz == 160)
		bits |= TAP(HE_DATA5_DATA_BW_RU_ALLOC_160MHZ);
	return bits;
}

static void radiotap_put_he(struct al_radiotap *tap, const struct al_rate *rate)
{
	tap->present |= BIT(TAP(HE));
	radiotap_put16(tap, TAP(HE_DATA1_FORMAT_SU) |
			    TAP(HE_DATA1_DATA_MCS_KNOWN) |
			    TAP(HE_DATA1_DATA_DCM_KNOWN) |
			    TAP(HE_DATA1_CODING_KNOWN) |
			    TAP(HE_DATA1_STBC_KNOWN) |
			    TAP(HE_DATA1_BW_RU_ALLOC_KNOWN) |
			    TAP(HE_DATA1_DOPPLER_KNOWN));
	radiotap_put16(tap, TAP(HE_DATA2_GI_KNOWN) |
			    TAP(HE_DATA2_NUM_LTF_SYMS_KNOWN));
	radiotap_put16(tap, rate->mcs << 8 | TAP(HE_DATA3_CODING));	/* LDPC */
	radiotap_put16(tap, 0);
	radiotap_put16(tap, radiotap_he_data5(rate));
	radiotap_put16(tap, rate->streams);
}

/* Begins the header of a PPDU that was on the air from @start_ns on. */
void al_radiotap_begin(struct al_radiotap *tap, const struct al_rate *rate,
		       u16 mhz, u64 start_ns)
{
	memset(tap, 0, sizeof(*tap));
	tap->length = sizeof(struct ieee80211_radiotap_header);
	tap->present = BIT(TAP(TSFT)) | BIT(TAP(FLAGS));
	radiotap_put64(tap, div_u64(start_ns, NSEC_PER_USEC));
	tap->flags_at = tap->length;
	radiotap_put8(tap, TAP(F_FCS));
	if (rate->phy == AL_PHY_LEGACY) {
		tap->present |= BIT(TAP(RATE));
		radiotap_put8(tap, al_rate_kbps(rate) / 500);
	}
	radiotap_put_channel(tap, mhz);
	if (rate->phy == AL_PHY_HT)
		radiotap_put_ht(tap, rate);
}

void al_radiotap_bad_fcs(struct al_radiotap *tap)
{
	tap->bad_fcs = true;
	tap->bytes[tap->flags_at] |= TAP(F_BADFCS);
}

void al_radiotap_ampdu(struct al_radiotap *tap, u32 reference)
{
	tap->present |= BIT(TAP(AMPDU_STATUS));
	radiotap_put32(tap, reference);
	tap->ampdu_flags_at = tap->length;
	radiotap_put16(tap, TAP(AMPDU_LAST_KNOWN));
	radiotap_put8(tap, 0);	/* the delimiter's CRC is not known */
	radiotap_put8(tap, 0);
}

/* Marks the MPDU as the last of its A-MPDU. */
void al_radiotap_last(struct al_radiotap *tap)
{
	tap->bytes[tap->ampdu_flags_at] |= TAP(AMPDU_IS_LAST);
}

void al_radiotap_end(struct al_radiotap *tap, const struct al_rate *rate)
{
	struct ieee80211_radiotap_header header = {
		.it_version = PKTHDR_RADIOTAP_VERSION,
	};

	if (rate->phy == AL_PHY_VHT)
		radiotap_put_vht(tap, rate);
	else if (rate->phy == AL_PHY_HE)
		radiotap_put_he(tap, rate);
	header.it_len = cpu_to_le16(tap->length);
	header.it_present = cpu_to_le32(tap->present);
	memcpy(tap->bytes, &header, sizeof(header));
}
