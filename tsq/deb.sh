#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A Debian package of tsq: `make deb`. BPF's objects are for any machine of this byte order.
#
#	./deb.sh VERSION FOLDER
set -eu
version=$1 out=$2
here=$(cd "$(dirname "$0")" && pwd)
if ! command -v dpkg-deb >/dev/null; then
	echo "tsq: no dpkg-deb here; packages can be made on Debian only; try: make install" >&2
	exit 1
fi
package=tsq_${version}_all.deb

# 2024-01-01, the day of the lab's kernels, too (BUILD_DAY in src/tsqlab/kernels/make.py).
SOURCE_DATE_EPOCH=1704067200
export SOURCE_DATE_EPOCH LC_ALL=C

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree doc=$work/tree/usr/share/doc/tsq
umask 022
# Built from a copy: no object of the checkout is used.
mkdir -p "$work/src" "$tree/DEBIAN" "$doc"
cp -R "$here"/bpf "$here"/tsq "$here"/Makefile "$here"/tsq.in "$here"/tsq.8 "$work/src"
rm -rf "$work/src/tsq/objects"
make -s -C "$work/src" install DESTDIR="$tree" PREFIX=/usr
gzip -9n "$tree/usr/share/man/man8/tsq.8"

cat >"$doc/copyright" <<END
tsq, of tsqlab: a lab for the sending side of Linux' TCP.

Copyright 2026 the tsqlab maintainers

It is free software: it may be redistributed and modified under the terms of the GNU General
Public License as published by the Free Software Foundation, either version 2 or (at your option)
any later version. It comes without any warranty. On Debian systems the licence is in
/usr/share/common-licenses/GPL-2.
END
gzip -9n >"$doc/changelog.gz" <<END
tsq ($version) unstable; urgency=medium

  * tsq of tsqlab $version.

 -- tsqlab <tsqlab@tsqlab>  $(date -u -R -d "@$SOURCE_DATE_EPOCH")
END

cat >"$tree/DEBIAN/control" <<END
Package: tsq
Version: $version
Architecture: all
Maintainer: tsqlab <tsqlab@tsqlab>
Installed-Size: $(du -sk --apparent-size "$tree/usr" | cut -f 1)
Depends: python3 (>= 3.11), python3-pyroute2 (>= 0.7.2), iproute2
Recommends: libbpf1
Suggests: flent, netperf
Section: net
Priority: optional
Description: TCP Small Queues: shown, planned, set and put back
 How much of a flow TCP lets wait in qdiscs and devices, which term of that limit
 binds, and three ways to have another on a kernel without patches or with them.
 .
 Nothing is changed before it is asked for: tsq show, tsq plan --ms 6
END
(cd "$tree" && find . -path ./DEBIAN -prune -o -type f -printf '%P\n' | sort | xargs md5sum) \
	>"$work/md5sums"
mv "$work/md5sums" "$tree/DEBIAN/md5sums"

# What was set is put back before the program that could do it goes.
cat >"$tree/DEBIAN/prerm" <<'END'
#!/bin/sh
set -e

if [ "$1" = remove ]; then
	tsq undo || true
fi
# Bytecode that Python left beside the sources.
rm -rf /usr/lib/tsq/tsq/__pycache__
END
chmod 755 "$tree/DEBIAN/prerm"

mkdir -p "$out"
dpkg-deb --root-owner-group -Zxz -z6 --build "$tree" "$work/$package" >/dev/null
mv "$work/$package" "$out/$package"
echo "$out/$package"
