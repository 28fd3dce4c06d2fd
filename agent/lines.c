// SPDX-License-Identifier: GPL-2.0-or-later
/* Files of lines whose words are parted by tabs: the plan, and what it names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"

/*
 * A whole file is read before anything is forked: a child that shared the
 * parent's file would move its read position.
 */
char *text_of_file(const char *path)
{
	size_t length = 0, room = 0;
	char *text = NULL;
	FILE *file = fopen(path, "re");

	if (!file)
		die_errno("cannot open %s", path);
	while (!feof(file) && !ferror(file)) {
		room += 1 << 16;
		text = realloc(text, room);
		if (!text)
			die("out of memory for %s", path);
		length += fread(text + length, 1, room - length - 1, file);
	}
	if (ferror(file))
		die_errno("cannot read %s", path);
	fclose(file);
	text[length] = 0;
	return text;
}

void for_each_line(const char *path, void (*carry_out)(int words, char *word[]))
{
	char *rest, *line, *word[WORDS_MAX + 1], *text = text_of_file(path);
	int words;

	while ((line = strsep(&text, "\n")) && text) {
		if (!strcmp(line, "end"))
			return;
		rest = line;
		for (words = 0; rest && words < WORDS_MAX; words++)
			word[words] = strsep(&rest, "\t");
		if (rest)
			die("%s: '%s' has more than %d words", path, word[0], WORDS_MAX);
		word[words] = NULL;
		carry_out(words, word);
	}
	die("%s: cut short, it has no 'end'", path);
}
