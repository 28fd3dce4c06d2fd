#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A Debian package of wqm, for this machine's architecture: `make deb`. The same bytes whenever
# and wherever it is made of the same source by the same compiler.
#
#	./deb.sh VERSION FOLDER
set -eu
version=$1 out=$2
here=$(cd "$(dirname "$0")" && pwd)
if ! command -v dpkg-deb >/dev/null; then
	echo "wqm: no dpkg-deb here; packages can be made on Debian only; try: make install" >&2
	exit 1
fi
architecture=$(dpkg --print-architecture)
package=wqm_${version}_$architecture.deb

# 2024-01-01, the day of the lab's kernels, too (BUILD_DAY in src/tsqlab/kernels/make.py).
SOURCE_DATE_EPOCH=1704067200
export SOURCE_DATE_EPOCH LC_ALL=C

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree doc=$work/tree/usr/share/doc/wqm
umask 022
# Compiled from a copy whose place is in no debug information; no object of the checkout is used.
mkdir -p "$work/src/wqm" "$work/src/src/tsqlab" "$tree/DEBIAN" "$doc"
cp "$here"/*.[ch8] "$here"/Makefile "$here"/*.in "$work/src/wqm"
cp "$here/../src/tsqlab/__init__.py" "$work/src/src/tsqlab"
make -s -C "$work/src/wqm" install DESTDIR="$tree" PREFIX=/usr UNITS=/usr/lib/systemd/system \
	CFLAGS="-O2 -fstack-protector-strong -D_FORTIFY_SOURCE=2 -fPIE" LDFLAGS="-pie -Wl,-z,relro,-z,now -s"
gzip -9n "$tree/usr/share/man/man8/wqm.8"

cat >"$doc/copyright" <<END
wqm, of tsqlab: a lab for the sending side of Linux' TCP.

Copyright 2026 the tsqlab maintainers

It is free software: it may be redistributed and modified under the terms of the GNU General
Public License as published by the Free Software Foundation, either version 2 or (at your option)
any later version. It comes without any warranty. On Debian systems the licence is in
/usr/share/common-licenses/GPL-2.
END
gzip -9n >"$doc/changelog.gz" <<END
wqm ($version) unstable; urgency=medium

  * wqm of tsqlab $version.

 -- tsqlab <tsqlab@tsqlab>  $(date -u -R -d "@$SOURCE_DATE_EPOCH")
END

# The newest of glibc's symbols that it uses say which glibc it needs.
libc=$(objdump -T "$tree/usr/sbin/wqm" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
cat >"$tree/DEBIAN/control" <<END
Package: wqm
Version: $version
Architecture: $architecture
Maintainer: tsqlab <tsqlab@tsqlab>
Installed-Size: $(du -sk --apparent-size "$tree/usr" | cut -f 1)
Depends: libc6 (>= ${libc#GLIBC_}), libmnl0 (>= 1.0.3)
Section: net
Priority: optional
Description: sizes the queue of a Wi-Fi device by how long it takes to drain
 The buffer-sizing scheme WQM for 802.11n, over the limit of a qdisc or of
 mac80211's TXQs. It needs CAP_NET_ADMIN, and nothing else of root.
 .
 Nothing runs before it is asked for: systemctl enable --now wqm@wlan0
END
(cd "$tree" && find . -path ./DEBIAN -prune -o -type f -printf '%P\n' | sort | xargs md5sum) \
	>"$work/md5sums"
mv "$work/md5sums" "$tree/DEBIAN/md5sums"

# What is running stops before its program goes.
cat >"$tree/DEBIAN/prerm" <<'END'
#!/bin/sh
set -e

if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
	systemctl stop 'wqm@*.service' || true
fi
END
cat >"$tree/DEBIAN/postinst" <<'END'
#!/bin/sh
set -e

if [ -d /run/systemd/system ]; then
	systemctl daemon-reload || true
fi
END
# What `systemctl enable` has made goes with the rest that is no file of the package.
{
	cat "$tree/DEBIAN/postinst"
	cat <<'END'
if [ "$1" = purge ]; then
	rm -f /etc/systemd/system/sys-subsystem-net-devices-*.device.wants/wqm@*.service
fi
END
} >"$tree/DEBIAN/postrm"
chmod 755 "$tree/DEBIAN/prerm" "$tree/DEBIAN/postrm" "$tree/DEBIAN/postinst"

mkdir -p "$out"
dpkg-deb --root-owner-group -Zxz -z6 --build "$tree" "$work/$package" >/dev/null
mv "$work/$package" "$out/$package"
echo "$out/$package"
