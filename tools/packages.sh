#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Installs what is missing of packages.txt: `make packages`. A package that the distribution does
# not have is named, with what it is for, and the others are installed all the same: whether it can
# be done without is for `tsqlab doctor` to say.
#
#	tools/packages.sh [LIST]
set -eu
list=${1:-packages.txt}

installed() {
	dpkg-query -W -f='${Status}\n' "$1" 2>/dev/null | grep -q 'ok installed'
}

available() {
	LC_ALL=C apt-cache policy "$1" 2>/dev/null | grep -q 'Candidate: [^(]'
}

# What stands behind the package's name, or else in the comment above its group.
purpose() {
	awk -v name="$1" '
		/^#/ { group = substr($0, 3) }
		$1 == name { print(match($0, /#/) ? substr($0, RSTART + 2) : group) }' "$list"
}

as_root() {
	if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

missing=
for name in $(sed 's/#.*//' "$list"); do
	installed "$name" || missing="$missing $name"
done
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null || ! command -v apt-cache >/dev/null; then
	echo "== no apt-get here; these are Debian's names of what is needed:$missing"
	exit 0
fi
echo "== Debian packages:$missing"
as_root apt-get update -qq
there=
for name in $missing; do
	if available "$name"; then
		there="$there $name"
	else
		echo "== this distribution has no package $name ($(purpose "$name"))"
	fi
done
# shellcheck disable=SC2086 # they are several words
[ -z "$there" ] || DEBIAN_FRONTEND=noninteractive as_root \
	apt-get install -y -qq --no-install-recommends $there
