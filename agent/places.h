/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where things lie in a guest. src/tsqlab/guest/places.py says the same to
 * Python, and tests/unit/test_places.py holds the two together.
 */
#ifndef TSQLAB_PLACES_H
#define TSQLAB_PLACES_H

#define PLAN_FILE	"/tsqlab/plan/plan"
#define OUT_DIR		"/tsqlab/out"
#define DONE_FILE	OUT_DIR "/done"
#define PLACES_VARIABLE	"PLACES"	/* of the environment */
#define SHELL_TTY	"/dev/tty1"

#endif
