#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# needs.sh missing             what of needs.txt is not there, as FOR:PACKAGE
#                              with Debian's names, one a line
# needs.sh packages FOR CHECK  Debian's names of all lines for that, whose check
#                              is of that kind
# needs.sh install PACKAGE...  installs them where there is apt-get; elsewhere
#                              it says how to, and ends with status 1
#
# Each make asks what is missing, so that a dependency that was removed is
# missed at once: that takes 40 ms. HOST_CC, with flags, and CROSS_COMPILE are
# the compilers: a library is there if the host's finds its header.
set -u

table=$(dirname "$0")/needs.txt
python=/usr/bin/python3
host_cc=${HOST_CC:-gcc}
cross_cc=${CROSS_COMPILE:-arm-none-eabi-}gcc

# The table's lines whose check is of kind $1, as "SUBJECT FOR:PACKAGE".
of_kind() {
    while read -r what check package _; do
        case $what:$check in
        '#'*) ;;
        *:"$1":*) echo "${check#*:} $what:$package" ;;
        esac
    done <"$table"
}

# Each of these reads such lines and prints the second word of those that fail.

missing_programs() {
    while read -r name which; do
        command -v "$name" >/dev/null || echo "$which"
    done
}

missing_headers() {
    lines=$(cat)
    # In quotes, since the preprocessor would replace words such as "unix".
    program=$(echo "$lines" | while read -r name which; do
        printf '#if !__has_include(<%s>)\n"%s"\n#endif\n' "$name" "$which"
    done)
    if found=$(echo "$program" | $host_cc -E -P -x c - 2>/dev/null); then
        echo "$found" | tr -d '"' | sed '/^$/d'
    else
        echo "$lines" | sed 's/.* //'
    fi
}

missing_cross_files() {
    while read -r name which; do
        path=$($cross_cc -print-file-name="$name" 2>/dev/null)
        [ -f "${path:-/}" ] || echo "$which"
    done
}

missing_modules() {
    lines=$(cat)
    [ -x "$python" ] || {
        echo "$lines" | sed 's/.* //'
        return
    }
    # A module's name and what to print if it is missing, in turn.
    # shellcheck disable=SC2086
    "$python" -c 'import importlib.util, sys
for name, which in zip(sys.argv[1::2], sys.argv[2::2]):
    if importlib.util.find_spec(name) is None:
        print(which)' $lines
}

missing() {
    look | sort
}

# At once, since each kind of check waits for a program.
look() {
    of_kind header | missing_headers &
    of_kind python | missing_modules &
    of_kind cross | missing_cross_files &
    of_kind program | missing_programs
    wait
}

packages() {
    while read -r what check package _; do
        case $what:$check in "$1:$2":*) echo "$package" ;; esac
    done <"$table"
}

# What packages $2... are called in column $1 of the table, without those that
# have no name there.
names_in() {
    column=$1
    shift
    for package; do
        awk -v package="$package" -v column="$column" \
            '$3 == package && !/^#/ && $column != "-" { print $column }' \
            "$table"
    done | awk '!seen[$0]++' | tr '\n' ' ' | sed 's/ $//'
}

# Those of packages $2... that have no name in column $1, as "SUBJECT (KIND)".
nameless_in() {
    column=$1
    shift
    for package; do
        awk -v package="$package" -v column="$column" \
            '$3 == package && !/^#/ && $column == "-" {
                 split($2, check, ":"); print check[2] " (" check[1] ")" }' \
            "$table"
    done | paste -s -d, - | sed 's/,/, /g'
}

# How to install packages $4... on the system $1, whose names are in column $2,
# with command $3.
hint() {
    system=$1 column=$2 command=$3
    shift 3
    names=$(names_in "$column" "$@")
    nameless=$(nameless_in "$column" "$@")
    if [ -n "$names" ]; then
        echo "  $system: $command $names"
    fi
    if [ -n "$nameless" ]; then
        echo "  $system: no package is known for $nameless"
    fi
}

say_how() {
    echo "missing, by Debian's names: $*"
    if command -v dnf >/dev/null; then
        hint Fedora 4 "sudo dnf install" "$@"
    elif command -v pacman >/dev/null; then
        hint Arch 5 "sudo pacman -S" "$@"
    elif command -v brew >/dev/null; then
        hint Homebrew 6 "brew install" "$@"
    else
        hint Fedora 4 "dnf install" "$@"
        hint Arch 5 "pacman -S" "$@"
        hint Homebrew 6 "brew install" "$@"
    fi
}

# Whether a mirror of the system's was reached: apt-get takes all failures for
# warnings, and would wait for each package in turn.
update() {
    {
        "$@" update -q -o Acquire::Retries=0 -o Acquire::http::Timeout=20 \
            -o Acquire::https::Timeout=20 -o APT::Update::Error-Mode=any 2>&1
        echo "update ended with $?"
    } | awk '/^update ended with / { reached = reached || $4 == 0; next }
             /^(Get|Hit):/ { reached = 1 }
             { print; fflush() }
             END { exit !reached }'
}

# Prints a reason, and once what would install packages $2..., in lines that
# can be pasted into a root's shell.
say_apt() {
    reason=$1
    shift
    echo "$reason; as root, run:"
    echo "  apt-get update && apt-get install -y --no-install-recommends \\"
    echo "$*" | fold -s -w 72 | sed 's/ *$//; s/^/    /; $!s/$/ \\/'
}

with_apt() {
    if [ "$(id -u)" = 0 ]; then
        sudo=
    elif command -v sudo >/dev/null; then
        sudo=sudo
    else
        say_apt "packages are missing" "$@" >&2
        return 1
    fi
    # By env, for sudo drops the environment.
    apt="$sudo env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get"
    # shellcheck disable=SC2086
    update $apt || {
        say_apt "no mirror of Debian can be reached for missing packages;
with a network, run again" "$@" >&2
        return 1
    }
    # What it would be, of which nothing is done.
    # shellcheck disable=SC2086
    size=$($apt install -q --assume-no --no-install-recommends "$@" 2>/dev/null |
        sed -n 's/^Need to get \(.*\) of archives\./\1 to fetch/p
            s/^After this .*, \(.* [kMG]*B\) of .*/\1 on the disk/p' |
        paste -s -d ';' - | sed 's/;/, /')
    echo "installing what is missing${size:+: $size}; \`make DEPS=' installs" \
        "nothing"
    echo "$*" | fold -s -w 72 | sed 's/ *$//; s/^/  /'
    # shellcheck disable=SC2086
    $apt install -qy --no-install-recommends "$@" || {
        say_apt "apt-get failed, and packages are missing" "$@" >&2
        return 1
    }
}

case ${1-} in
missing) missing ;;
packages) packages "$2" "$3" ;;
install)
    shift
    [ $# -gt 0 ] || exit 0
    if command -v apt-get >/dev/null; then
        with_apt "$@"
    else
        say_how "$@" >&2
        exit 1
    fi
    ;;
*)
    sed -n 's/^# \{0,1\}//p' "$0" | sed 1d >&2
    exit 2
    ;;
esac
