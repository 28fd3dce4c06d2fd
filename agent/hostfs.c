// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a guest sees of its host. Most sandboxes show it the host's folders where
 * they are to be, and then all of them are in the root. Where nobody may mount
 * anything on the host, the root has empty folders in their places, and the
 * kernel's command line names a file of lines:
 *
 *   shown  WHERE PATH     a folder of the host, read-only
 *   own    WHERE PATH     one that the guest writes to
 *   end
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>

#include "agent.h"
#include "places.h"

static void mount_hostfs(const char *where, unsigned long flags, const char *path)
{
	if (mount("none", where, "hostfs", flags, path))
		die_errno("cannot mount %s of the host on %s", path, where);
}

static void mount_line(int words, char *word[])
{
	if (words == 3 && !strcmp(word[0], "shown"))
		mount_hostfs(word[1], MS_RDONLY, word[2]);
	else if (words == 3 && !strcmp(word[0], "own"))
		mount_hostfs(word[1], 0, word[2]);
	else
		die("no such place as '%s'", word[0]);
}

void mount_places(void)
{
	const char *list = getenv(PLACES_VARIABLE);

	if (!list) {
		/* The root is read-only, so the one folder to write to is a mount of its own. */
		mount_hostfs(OUT_DIR, 0, OUT_DIR);
		return;
	}
	for_each_line(list, mount_line);
	unsetenv(PLACES_VARIABLE);
}
