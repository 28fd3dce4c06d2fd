# SPDX-License-Identifier: GPL-2.0-or-later
"""A tiny tree that passes for a kernel's: make "compiles" its net/*.c by copying them.

As in Kbuild, an object is made again when its source or a header is newer, or its flags are others.
"""

import subprocess

MAKEFILE = """\
VERSION = 6
PATCHLEVEL = 13
objects := $(patsubst %.c,$(O)/%.o,$(wildcard net/*.c))
allnoconfig:
	@mkdir -p $(O)/include/config
	@sleep $${SLOWLY:-0}
	@cp $(KCONFIG_ALLCONFIG) $(O)/.config
	@echo 6.13.0 >$(O)/include/config/kernel.release
linux: $(O)/linux
$(O)/linux: $(objects) | $(O)/.config
	@cat $^ > $@
	@echo "  LINK linux"
# Kbuild's targets have no folder before those of the tree.
flags = $(subst $(O)/,,$(CFLAGS_$*.o))
known = $(file <$(@D)/.$*.o.cmd)
compile = \
	echo "  CC      net/$*.o"; \
	sleep $${SLOWLY:-0}; \
	mkdir -p $(@D); \
	! grep -H -n mistake $< || { echo "$(srctree)/$<:1:1: error: mistake"; exit 1; }; \
	echo '$(flags)' >$(@D)/.$*.o.cmd; \
	cp $< $@
$(O)/net/%.o: net/%.c include/a.h FORCE
	@$(if $(filter-out FORCE,$?)$(filter-out $(known),$(flags))$(filter-out $(flags),$(known)),\
		$(compile),:)
FORCE:
modules:
	@ [ -z "$(M)" ] || touch $(M)/$(notdir $(M)).ko
"""

PATCH = """\
A message.

--- a/file
+++ b/file
@@ -1 +1 @@
-old
+new
"""


def make_tree(tree, sources=3):
    (tree / "arch" / "um").mkdir(parents=True)
    (tree / "net").mkdir()
    (tree / "include").mkdir()
    (tree / "Makefile").write_text(MAKEFILE)
    (tree / "Kconfig").write_text("config A\n")
    (tree / "file").write_text("old\n")
    (tree / "include" / "a.h").write_text("a\n")
    for number in range(sources):
        (tree / "net" / f"{number}.c").write_text(f"{number}\n")
    return tree


def make_patches(folder, text=PATCH):
    folder.mkdir(exist_ok=True)
    (folder / "0001-x.patch").write_text(text)
    return folder


def git(tree, *words):
    command = ["git", "-C", str(tree), "-c", "user.name=x", "-c", "user.email=x@x", *words]
    subprocess.run(command, check=True, capture_output=True)
