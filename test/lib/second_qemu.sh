#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# second_qemu.sh FOLDER [SUITE]
#
# Brings the qemu-system-arm of Debian's bookworm-backports (QEMU 10) into
# FOLDER, beside the one that is installed: downloads the package, and the
# libraries that it needs and this machine lacks, and unpacks them there. Needs
# neither root nor any change of the system's packages. The program to start is
# FOLDER/qemu-system-arm. Exit status: 0; 1 after a message that says why not.
set -eu

folder=$1
suite=${2:-bookworm-backports}
release=${suite%-backports}
work=$folder.new

fail() {
    rm -rf "$work"
    echo "no QEMU of $suite: $*" >&2
    exit 1
}

# Each apt and dpkg of this script works on lists and archives of its own.
own_apt() {
    timeout 120 "$@" -q=2 -o Dir::Etc::SourceList="$work/sources" \
        -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$work/lists" \
        -o Dir::Cache="$work/cache" -o Debug::NoLocking=1 \
        -o Acquire::Retries=1 -o Acquire::http::Timeout=20 \
        -o APT::Sandbox::User=root
}

if [ -x "$folder/qemu-system-arm" ] &&
    "$folder/qemu-system-arm" --version >/dev/null 2>&1; then
    exit 0
fi
command -v apt-get >/dev/null && command -v dpkg >/dev/null ||
    fail "this system has no apt-get and dpkg"
here=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
[ "$here" = "$release" ] ||
    fail "its packages are for $release, and this system is '$here'"

mkdir -p "$(dirname "$folder")"
rm -rf "$work"
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/debs"
work=$(cd "$work" && pwd)
folder=${work%.new}

# The mirrors are those that this system's own packages come from.
apt-get indextargets --no-release-info \
    --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Identifier: Packages' |
    sort -u | while read -r mirror of component; do
        [ "$of $component" = "$release main" ] || continue
        echo "deb $mirror $release main"
        echo "deb $mirror $suite main"
    done >"$work/sources"
[ -s "$work/sources" ] ||
    fail "apt has no mirror of $release main"

# Mirrors that cannot be reached are but warnings to apt.
own_apt apt-get update >"$work/log" 2>&1 &&
    find "$work/lists" -name "*_$suite*_Packages*" | grep -q . ||
    fail "apt-get update: $(grep -m1 '^[EW]:' "$work/log" || echo failed)"
own_apt apt-get -s --no-install-recommends install "qemu-system-arm/$suite" \
    >"$work/plan" 2>"$work/log" ||
    fail "apt-get install: $(grep -m1 '^E:' "$work/log" || echo failed)"
# Inst NAME [INSTALLED] (VERSION ORIGIN [ARCHITECTURE])
sed -n 's/^Inst \([^ ]*\) [^(]*(\([^ ]*\) .*/\1=\2/p' "$work/plan" \
    >"$work/packages"
[ -s "$work/packages" ] ||
    fail "the qemu-system-arm that is installed is not older"
# shellcheck disable=SC2046
(cd "$work/debs" &&
    own_apt apt-get download $(cat "$work/packages")) >"$work/log" 2>&1 ||
    fail "apt-get download: $(grep -m1 '^E:' "$work/log" || echo failed)"
for package in "$work"/debs/*.deb; do
    dpkg -x "$package" "$work/root" || fail "$package cannot be unpacked"
done
rm -rf "$work/lists" "$work/cache" "$work/debs"

root=$folder/root
libraries=usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null ||
    gcc -print-multiarch)
cat >"$work/qemu-system-arm" <<END
#!/bin/sh
QEMU_MODULE_DIR='$root/$libraries/qemu' \\
LD_LIBRARY_PATH='$root/$libraries' \\
    exec '$root/usr/bin/qemu-system-arm' -L '$root/usr/share/qemu' "\$@"
END
chmod +x "$work/qemu-system-arm"
rm -rf "$folder"
mv "$work" "$folder"
work=$folder # what a failure from here on removes
list=$("$folder/qemu-system-arm" -machine help 2>&1) ||
    fail "it does not start: $list"
for machine in mps2-an385 netduinoplus2; do
    echo "$list" | grep -q "^$machine " || fail "it has no machine $machine"
done
