/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instead of the module's: softmac/softmac.h beside this has all that beacon.c needs. */
