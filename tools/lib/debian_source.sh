# debian_source.sh - sourced: source packages of a Debian suite, whichever Debian this machine is.
# shellcheck shell=bash

# The mirror that this machine's own apt uses for its own release: never a host of our choosing.
debian_mirror() {
    apt-get indextargets --format '$(CREATED_BY) $(RELEASE) $(REPO_URI)' 2>/dev/null \
        | awk -v suite="$(os_release VERSION_CODENAME)" '$1 == "Packages" && $2 == suite && $3 !~ /^cdrom/ { print $3; exit }'
}

# debian_source SUITE DIRECTORY LOG NAME...: the files of these source packages, into the directory. They come through a scratch
# apt configuration: the system's own sources, lists and packages stay as they are, and Debian's keyring vouches for what
# arrives. The machine's apt.conf (proxy, certificates) holds.
debian_source() {
    local suite=$1 work=$2 log=$3 mirror keyring=/usr/share/keyrings/debian-archive-keyring.gpg options
    shift 3
    [ "$(os_release ID)" = debian ] && have apt-get && have dpkg-source && [ -r "$keyring" ] || return 1
    mirror=$(debian_mirror)
    [ -n "$mirror" ] || return 1
    mkdir -p "$work/apt/lists/partial" "$work/apt/cache/archives/partial"
    printf 'deb-src [signed-by=%s] %s %s main\n' "$keyring" "$mirror" "$suite" >"$work/apt/sources.list"
    options=(-o "Dir::Etc::SourceList=$work/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
        -o "Dir::State=$work/apt" -o "Dir::State::Status=/var/lib/dpkg/status" -o "Dir::Cache=$work/apt/cache"
        -o APT::Sandbox::User=root)
    logged "$log" apt-get "${options[@]}" update || return 1
    (cd "$work" && logged "$log" apt-get "${options[@]}" --download-only source "$@")
}
