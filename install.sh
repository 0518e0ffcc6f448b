#!/bin/sh
# Installs tribunal: fetches the archive for this machine, compares its checksum, and puts the binary into a folder.
#
#   curl -LsSf https://github.com/tribunal-dev/tribunal/releases/latest/download/install.sh | sh
#   sh install.sh --version 0.1.0 --to ~/bin
#   sh install.sh --from ./dist          # an archive and SHA256SUMS that are already here
#
# Nothing is installed unless the checksum is that of SHA256SUMS.
set -eu

RELEASES=https://github.com/tribunal-dev/tribunal/releases
version=${TRIBUNAL_VERSION:-latest}
to=${TRIBUNAL_INSTALL_DIR:-${XDG_BIN_HOME:-${HOME:-}/.local/bin}}
from=${TRIBUNAL_FROM:-}

fail() {
    echo "error: $1" >&2
    if [ -n "${2:-}" ]; then echo "hint: $2" >&2; fi
    exit 1
}

usage() {
    cat <<'USAGE'
Installs tribunal into a folder.

Usage: install.sh [OPTIONS]

Options:
  --version VERSION   a release such as 0.1.0 [default: the latest one; TRIBUNAL_VERSION]
  --to DIR            where the binary goes [default: $XDG_BIN_HOME or ~/.local/bin; TRIBUNAL_INSTALL_DIR]
  --from DIR|URL      where the archive and SHA256SUMS are [default: the release's page; TRIBUNAL_FROM]
  --help              this text

Examples:
  sh install.sh
  sh install.sh --version 0.1.0 --to ~/bin
  sh install.sh --from ./dist
USAGE
}

while [ $# -gt 0 ]; do
    case $1 in
    --help | -h)
        usage
        exit 0
        ;;
    --version | --to | --from)
        [ $# -ge 2 ] || fail "$1 needs a value" "sh install.sh --help"
        case $1 in
        --version) version=$2 ;;
        --to) to=$2 ;;
        --from) from=$2 ;;
        esac
        shift 2
        ;;
    *) fail "unknown argument: $1" "sh install.sh --help" ;;
    esac
done

system=$(uname -s)
machine=$(uname -m)
case $system-$machine in
Linux-x86_64) target=x86_64-unknown-linux-gnu ;;
*)
    fail "there is no archive for $system on $machine" \
        "with Rust: cargo install --git https://github.com/tribunal-dev/tribunal tribunal-cli"
    ;;
esac
archive=tribunal-$target.tar.gz

# An archive that is linked against glibc does not start where there is another library.
if [ -z "$(getconf GNU_LIBC_VERSION 2>/dev/null)" ]; then
    fail "this system has no glibc, which the archive needs" "Alpine and others: build it with Rust, see docs/install.md"
fi

if [ -z "$from" ]; then
    if [ "$version" = latest ]; then
        from=$RELEASES/latest/download
    else
        from=$RELEASES/download/v${version#v}
    fi
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

fetch() {
    case $from in
    *://*)
        if command -v curl >/dev/null 2>&1; then
            curl --location --silent --show-error --fail --output "$work/$1" "$from/$1"
        elif command -v wget >/dev/null 2>&1; then
            wget --quiet --output-document="$work/$1" "$from/$1"
        else
            fail "there is neither curl nor wget" "fetch $from/$1 and SHA256SUMS yourself, then: sh install.sh --from DIR"
        fi
        ;;
    *) cp "$from/$1" "$work/$1" ;;
    esac || fail "cannot get $1 from $from" "is there such a release? $RELEASES"
}

fetch SHA256SUMS
fetch "$archive"

# Lines are "<sum>  <name>"; one that names the file with a path is not it.
wanted=$(awk -v name="$archive" '$2 == name || $2 == "*" name { print $1 }' "$work/SHA256SUMS")
[ -n "$wanted" ] || fail "SHA256SUMS does not have $archive" "nothing was installed"
if command -v sha256sum >/dev/null 2>&1; then
    found=$(sha256sum "$work/$archive")
elif command -v shasum >/dev/null 2>&1; then
    found=$(shasum -a 256 "$work/$archive")
else
    fail "there is neither sha256sum nor shasum to compare the checksum with" "install coreutils"
fi
found=${found%% *}
if [ "$found" != "$wanted" ]; then
    fail "the checksum of $archive is wrong: $found, and SHA256SUMS has $wanted" \
        "nothing was installed; the file was damaged or changed on its way"
fi

tar -xzf "$work/$archive" -C "$work"
binary=$work/tribunal-$target/tribunal
[ -f "$binary" ] || fail "$archive has no tribunal in it" "nothing was installed"
chmod 755 "$binary"
told=$("$binary" --version) || fail "the binary does not start on this system" "nothing was installed"
mkdir -p "$to"
# Beside the old one first: somebody may be running it.
cp "$binary" "$to/.tribunal.$$"
mv -f "$to/.tribunal.$$" "$to/tribunal"
echo "$told is in $to/tribunal"
case :${PATH:-}: in
*:"$to":*) ;;
*) echo "hint: put $to on your PATH: export PATH=\"$to:\$PATH\"" >&2 ;;
esac
