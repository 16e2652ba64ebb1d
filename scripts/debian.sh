# shellcheck shell=bash
# Sourced by the scripts that install or fetch Debian packages, in the folder of the repository. Everything here leaves
# the machine's apt configuration as it is and starts no service.
#
# HOLDFAST_DEBIAN_MIRROR: the URI of a Debian mirror, for machines whose sources name none (Ubuntu).

readonly deps=$PWD/.deps
readonly keyring=/usr/share/keyrings/debian-archive-keyring.gpg

say() { printf '%s: %s\n' "${0##*/}" "$*"; }
die() { printf '%s: error: %s\n' "${0##*/}" "$*" >&2; exit 1; }

as_root() {
    if ((EUID == 0)); then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "root is needed for: $* (there is no sudo; run that command as root, then this script again)"
    fi
}

missing_of() { # PACKAGE...: prints those that are not installed
    local package
    for package; do
        [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || echo "$package"
    done
}

# An apt source of the machine that does not answer is no reason to stop, as long as the packages are found.
update_lists() { as_root apt-get update -q || say "apt-get update had errors; continuing"; }

# Debian starts a service as soon as its package is installed. The tests start their own servers, and another program
# may need port 6379, so a policy file prevents the start of services while apt-get runs.
install_packages() { # PACKAGE...
    local policy=/usr/sbin/policy-rc.d
    if [[ ! -e $policy ]]; then
        trap "as_root rm -f $policy" EXIT
        printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
        as_root chmod +x "$policy"
    fi
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
}

# Prints the URIs from which this machine takes Debian itself: those that offer component `main` of a Debian suite
# below a path `/debian` (or a mirror list of that name). That leaves out the security archive, which has no backports,
# and sources of third parties.
debian_mirrors() {
    if [[ -n ${HOLDFAST_DEBIAN_MIRROR:-} ]]; then
        echo "${HOLDFAST_DEBIAN_MIRROR%/}"
        return
    fi
    local codename list stanzas
    codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
    {
        for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
            [[ -r $list ]] || continue
            sed -E 's/#.*//; s/^[[:space:]]*deb[[:space:]]+(\[[^]]*\][[:space:]]+)?/deb /' "$list" |
                awk '$1 == "deb" { uri = $2; suite = $3; $1 = $2 = $3 = ""; print uri "|" suite "|" $0 " " }'
        done
        for stanzas in /etc/apt/sources.list.d/*.sources; do
            [[ -r $stanzas ]] || continue
            # One line per URI and suite of each stanza; a field goes on over lines that start with a blank.
            awk '
                function flush(   i, j, n, m, uri, suite) {
                    if (tolower(f["enabled"]) !~ /no|false/ && (" " f["types"] " ") ~ / deb /) {
                        n = split(f["uris"], uri, " "); m = split(f["suites"], suite, " ")
                        for (i = 1; i <= n; i++) for (j = 1; j <= m; j++)
                            print uri[i] "|" suite[j] "| " f["components"] " "
                    }
                    split("", f)
                }
                /^#/ { next }
                /^[[:space:]]*$/ { flush(); next }
                /^[[:space:]]/ { f[key] = f[key] " " $0; next }
                { key = tolower($0); sub(/:.*/, "", key); value = $0; sub(/^[^:]*:/, "", value); f[key] = value }
                END { flush() }' "$stanzas"
        done
    } | awk -F '|' -v codename="$codename" '
        $1 ~ /\/debian([\/.]|$)/ && $3 ~ / main / && ($2 == codename || $2 ~ /^(stable|testing|sid|unstable)$/) {
            sub(/\/$/, "", $1); if (!seen[$1]++) print $1
        }'
}

# A separate apt: it reads the machine's settings (proxy, certificates, dates), but has its own sources, package lists
# and cache, and runs none of the machine's hooks. It does not change the state of the machine's apt.
prepare_apt() { # deb|deb-src MIRROR SUITE
    local apt=$deps/apt
    [[ -r $keyring ]] || { update_lists && install_packages debian-archive-keyring; } || return 1
    [[ -r $keyring ]] || die "$keyring is missing (package debian-archive-keyring)"
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
    echo "$1 [signed-by=$keyring] $2 $3 main" >"$apt/sources.list"
    {
        [[ ! -r /etc/apt/apt.conf ]] || echo '#include "/etc/apt/apt.conf";'
        echo '#clear APT::Update::Pre-Invoke;'
        echo '#clear APT::Update::Post-Invoke;'
        echo '#clear APT::Update::Post-Invoke-Success;'
        echo '#clear Acquire::IndexTargets::deb::DEP-11;'
    } >"$apt/last.conf" # read after /etc/apt/apt.conf.d, where the hooks come from
    cat >"$apt/apt.conf" <<CONF
Dir::Etc::main "$apt/last.conf";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::State::lists "$apt/lists";
Dir::Cache "$apt/cache";
Acquire::Languages "none";
Acquire::Retries "3";
APT::Sandbox::User "root";
CONF
    APT_CONFIG=$apt/apt.conf apt-get update -q -o APT::Update::Error-Mode=any
}

# Runs the command in the empty folder .deps/fetched, with each mirror of this machine in turn, until it succeeds.
from_a_mirror() { # deb|deb-src SUITE COMMAND...
    local kind=$1 suite=$2 mirrors mirror
    shift 2
    mapfile -t mirrors < <(debian_mirrors)
    ((${#mirrors[@]})) || say "the apt sources of this machine name no Debian mirror"
    for mirror in "${mirrors[@]}"; do
        rm -rf "$deps/fetched" && mkdir -p "$deps/fetched"
        if prepare_apt "$kind" "$mirror" "$suite" && (cd "$deps/fetched" && APT_CONFIG=$deps/apt/apt.conf "$@"); then
            rm -rf "$deps/apt"
            return 0
        fi
        say "$mirror did not give what was wanted of $suite"
    done
    return 1
}

fetch() { # PACKAGE SUITE: unpacks it into .deps/usr
    say "$1 of Debian $2 is to be unpacked into .deps/"
    from_a_mirror deb "$2" apt-get download -q "$1" && dpkg -x "$deps"/fetched/"$1"_*.deb "$deps" || return 1
    rm -rf "$deps/fetched"
}

fetch_source() { # PACKAGE SUITE FOLDER: unpacks what its authors released
    say "the source of $1 of Debian $2 is to be unpacked into $3"
    from_a_mirror deb-src "$2" apt-get source -q --download-only "$1" || return 1
    mkdir -p "$3"
    tar -xf "$deps"/fetched/"$1"_*.orig.tar.* -C "$3" --strip-components 1 || return 1
    rm -rf "$deps/fetched"
}

# The suite whose Catch2 was built for this machine's C++ runtime or an older one.
catch_suite() {
    (. /etc/os-release
     [[ $ID == debian && $VERSION_CODENAME != bookworm ]] && echo "$VERSION_CODENAME" || echo bookworm-backports)
}
