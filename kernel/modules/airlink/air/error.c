// SPDX-License-Identifier: GPL-2.0
/*
 * How likely an MPDU is lost in noise: the NIST model of OFDM errors (Pei and
 * Henderson, "Validation of OFDM model in ns-3", 2010; ns-3's
 * NistErrorRateModel).
 *
 *	loss = 1 - exp(-bits * h(SNR))
 *
 * h, the hazard of a bit, follows from the modulation's error rate without coding
 * and a union bound over the distances of the convolutional code. It needs erfc(),
 * so tools/error_table.py works it out beforehand, with the formulas of
 * tsqlab.model.error: error_table.h has a curve of -log2(h) for each modulation and
 * code rate, in steps of 0.1 dB. Between two steps it is taken to be linear, which
 * is right to 0.2 % of h.
 *
 * The SNR is over the channel, whatever its width, and of each spatial stream. All
 * bits of the MPDU count, however many streams carry them. (ns-3.44 divides them by
 * the streams.) HE is taken as if it had this code too, instead of LDPC.
 *
 * Pure functions of integers; fractions are of 2^32.
 */

#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "air/error.h"
#include "air/error_table.h"

#define ONE		0x100000000ULL
#define LN2		2977044472U
#define MPDU_BYTES_MAX	65535U
#define CERTAIN		(21 * ONE)	/* exp(-21) is below 1e-9 */

#define INTERPOLATED	(CURVE_SCALE * CURVE_STEP_CDB)	/* the scale of a log2 */

/* Returns exp(-@x) for @x from 0 to 1, by its Taylor series. */
static u64 error_exp_minus(u32 x)
{
	static const u32 of_factorial[] = {	/* 2^32 / k!, from k = 2 on */
		2147483648, 715827883, 178956971, 35791394, 5965232,
		852176, 106522, 11836, 1184, 108, 9
	};
	int term = ARRAY_SIZE(of_factorial) - 1;
	u64 sum = of_factorial[term];

	while (term--)
		sum = of_factorial[term] - ((x * sum) >> 32);
	sum = ONE - ((x * sum) >> 32);
	return ONE - ((x * sum) >> 32);
}

/* Returns 2^(-@log2 / INTERPOLATED) times @factor. */
static u64 error_scale_down(u32 factor, u32 log2)
{
	u32 fraction = log2 % INTERPOLATED;
	u32 x = div_u64((u64)fraction * LN2, INTERPOLATED);

	return (factor * error_exp_minus(x)) >> (log2 / INTERPOLATED);
}

/* Returns 1 - exp(-@x), in parts of AL_LOSS_SCALE. */
static u32 error_loss_of(u64 x)
{
	u32 rest, halvings;
	u64 survival;

	if (x >= CERTAIN)
		return AL_LOSS_SCALE;
	halvings = div_u64_rem(x, LN2, &rest);
	survival = error_exp_minus(rest) >> halvings;
	return ((ONE - survival) * AL_LOSS_SCALE) >> 32;
}

/* Returns the probability, in parts of AL_LOSS_SCALE, that an MPDU is lost: of
 * @bytes with header and FCS, at @snr_cdb in 1/100 dB.
 */
u32 al_error_of_mpdu(const struct al_rate *rate, s16 snr_cdb, u32 bytes)
{
	const struct curve *curve = rate->phy == AL_PHY_LEGACY ?
				    curve_of_legacy[rate->mcs] :
				    curve_of_mcs[rate->mcs];
	u32 bits = 8 * min(bytes, MPDU_BYTES_MAX);
	int above = snr_cdb - curve->first_cdb;
	int point = above / CURVE_STEP_CDB, rest = above % CURVE_STEP_CDB;
	u32 log2;

	if (above < 0)
		return AL_LOSS_SCALE;
	if (point >= curve->points - 1)
		return 0;
	log2 = curve->log2[point] * (CURVE_STEP_CDB - rest) +
	       curve->log2[point + 1] * rest;
	return error_loss_of(error_scale_down(bits, log2));
}
