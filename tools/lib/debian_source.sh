# debian_source.sh - sourced: packages of a Debian suite, whichever Debian this machine is: their sources, or what is in them.
# shellcheck shell=bash
#
# They come through a scratch apt configuration: the system's own sources, lists and packages stay as they are, and Debian's
# keyring vouches for what arrives. The machine's apt.conf (proxy, certificates) holds.

# The mirror that this machine's own apt uses for its own release: never a host of our choosing.
debian_mirror() {
    apt-get indextargets --format '$(CREATED_BY) $(RELEASE) $(REPO_URI)' 2>/dev/null \
        | awk -v suite="$(os_release VERSION_CODENAME)" '$1 == "Packages" && $2 == suite && $3 !~ /^cdrom/ && $3 !~ /security/ { print $3; exit }'
}

# debian_scratch TYPE SUITE ARCHITECTURE DIRECTORY LOG: sets DEBIAN_OPTIONS to those of an apt-get that knows this suite alone and
# takes nothing as installed. TYPE is deb or deb-src. Not everywhere: 1 where this is no Debian.
debian_scratch() {
    local work=$4 mirror keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    [ "$(os_release ID)" = debian ] && have apt-get && have dpkg-source && [ -r "$keyring" ] || return 1
    mirror=$(debian_mirror)
    if [ -z "$mirror" ]; then # a machine that never asked its mirror for anything
        logged "$5" apt-get update || return 1
        mirror=$(debian_mirror)
    fi
    [ -n "$mirror" ] || return 1
    mkdir -p "$work/apt/lists/partial" "$work/apt/cache/archives/partial"
    : >"$work/apt/status"
    printf '%s [signed-by=%s] %s %s main\n' "$1" "$keyring" "$mirror" "$2" >"$work/apt/sources.list"
    DEBIAN_OPTIONS=(-o "Dir::Etc::SourceList=$work/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
        -o "Dir::State=$work/apt" -o "Dir::State::Status=$work/apt/status" -o "Dir::Cache=$work/apt/cache"
        -o APT::Sandbox::User=root -o "APT::Architecture=$3" -o "APT::Architectures=$3" -o Acquire::Languages=none
        -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false)
    logged "$5" apt-get "${DEBIAN_OPTIONS[@]}" update
}

# debian_source SUITE DIRECTORY LOG NAME...: the files of these source packages, into the directory.
debian_source() {
    local suite=$1 work=$2 log=$3
    shift 3
    debian_scratch deb-src "$suite" "$(dpkg --print-architecture 2>/dev/null)" "$work" "$log" || return 1
    (cd "$work" && logged "$log" apt-get "${DEBIAN_OPTIONS[@]}" --download-only source "$@")
}

# debian_unpacked SUITE ARCHITECTURE DIRECTORY LOG VERB NAME...: what is in these packages, as DIRECTORY/root; nothing of it is run.
# VERB is `download` for these alone, or `install` for all that they need, too.
debian_unpacked() {
    local suite=$1 architecture=$2 work=$3 log=$4 verb=$5 package options=()
    shift 5
    debian_scratch deb "$suite" "$architecture" "$work" "$log" || return 1
    if [ "$verb" = install ]; then options=(-y --no-install-recommends --download-only); fi
    (cd "$work/apt/cache/archives" && logged "$log" apt-get "${DEBIAN_OPTIONS[@]}" "${options[@]}" "$verb" "$@") || return 1
    mkdir -p "$work/root"
    for package in "$work"/apt/cache/archives/*.deb; do
        logged "$log" dpkg-deb -x "$package" "$work/root" || return 1
    done
}
