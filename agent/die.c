// SPDX-License-Identifier: GPL-2.0-or-later
/* Speaking to the console, and the one way in which anything here fails. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"

#define DOING_MAX	160	/* enough for all words but the bytes of a long request */

static char doing[DOING_MAX + sizeof(": ")];

void die_doing(char *const words[])
{
	size_t used = 0;

	for (doing[0] = 0; *words && used < DOING_MAX; words++)
		used += snprintf(doing + used, DOING_MAX - used, "%s%s", used ? " " : "", *words);
	if (used)
		strcat(doing, ": ");
}

static void speak(const char *prefix, const char *format, va_list args, int error)
{
	fprintf(stderr, "tsqlab: %s", prefix);
	if (*prefix)
		fputs(doing, stderr);
	vfprintf(stderr, format, args);
	if (error)
		fprintf(stderr, ": %s", strerror(error));
	fputc('\n', stderr);
}

void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	speak("", format, args, 0);
	va_end(args);
}

void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	speak("error: ", format, args, 0);
	va_end(args);
	exit(1);
}

void die_errno(const char *format, ...)
{
	int error = errno;
	va_list args;

	va_start(args, format);
	speak("error: ", format, args, error);
	va_end(args);
	exit(1);
}
