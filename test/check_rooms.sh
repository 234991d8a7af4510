#!/bin/sh
# check_rooms.sh [BUILD] - arrows between rooms point down only, and only the upper rooms know HDF5: holds the #includes of src/ and
# plugin/ to it. Nobody above src/store and src/zip asks the system about paths. With the directory of a build it also looks for files of one room that call each other in a circle: only
# those that circles.txt names may.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
may() { # the rooms that a room may include from
    case $1 in
    util) echo util ;;
    mpi) echo mpi util ;;
    store) echo store util ;;
    zip) echo zip store util ;;
    net) echo net util ;;
    codec) echo codec util ;;
    metadata) echo metadata codec util ;;
    array) echo array metadata codec store mpi util ;;
    remote) echo remote zip net store util ;;
    hierarchy) echo hierarchy remote array metadata codec zip store mpi util ;;
    command) echo command convert dialects hierarchy remote array metadata codec zip store util ;;
    h5) echo h5 util ;;
    annotation) echo annotation h5 hierarchy array metadata codec store mpi util ;;
    types) echo types annotation h5 hierarchy array metadata codec store mpi util ;;
    convert) echo convert types h5 codec util ;;
    references) echo references types annotation h5 hierarchy array metadata codec store mpi util ;;
    dialects) echo dialects references types annotation h5 hierarchy array metadata codec store mpi util ;;
    attributes) echo attributes dialects references types annotation h5 hierarchy array metadata codec store mpi util ;;
    datasets) echo datasets dialects references types annotation h5 hierarchy array metadata codec store mpi util ;;
    rewrite) echo rewrite datasets dialects references types annotation h5 hierarchy array metadata codec store mpi util ;;
    native) echo native h5 hierarchy array metadata codec store mpi util ;;
    object) echo object rewrite datasets attributes dialects references types annotation native h5 hierarchy array metadata codec store mpi util ;;
    vol) echo vol object rewrite datasets attributes dialects references types annotation native h5 hierarchy array metadata codec store mpi util ;;
    plugin) echo plugin vol h5 remote mpi util ;;
    esac
}
bad=0
for room in util mpi net store zip remote codec metadata array hierarchy command h5 annotation types convert references dialects attributes datasets rewrite native object vol plugin; do
    directory=$root/src/$room
    [ "$room" = plugin ] && directory=$root/plugin
    allowed=" $(may $room) "
    for file in "$directory"/*.[ch]; do
        [ -e "$file" ] || continue
        for include in $(sed -n 's/^#include "\([a-z0-9]*\)\/.*/\1/p' "$file" | sort -u); do
            case $allowed in *" $include "*) ;; *) echo "${file#"$root"/}: includes from $include, a room above or beside it" && bad=1 ;; esac
        done
        # Where a path leads is found in src/store and src/zip, once: nobody else asks the system about paths.
        case " util net store zip " in
        *" $room "*) ;;
        *)
            case ${file#"$root"/} in
            src/h5/import.c) ;;  # pages of memory in which a library keeps addresses
            src/command/terminal.c) ;;                      # what a terminal is like
            src/convert/librar*.c | src/convert/user_block.c | src/command/convert*.c | src/command/doctor*.c) ;; # HDF5 libraries and the plugin on this machine
            plugin/copy.c) ;;    # the plugin's own file, of which each HDF5 library gets a copy
            *)
                if grep -nE '^#include <(fcntl|unistd|dirent|glob|ftw|sys/(stat|file|mman|types|vfs|statfs|xattr))\.h>|\b(realpath|getcwd|fopen)\(' "$file"; then
                    echo "${file#"$root"/}: asks the system about paths or descriptors, which is src/store's" && bad=1
                fi
                ;;
            esac
            ;;
        esac
        # How a format of Zarr is spelled is src/metadata's alone: others have a spelling, or ask the table.
        if [ "$room" != metadata ] &&
            grep -nE '#include "metadata/([a-z0-9_]*_v[23]|spelling_rows)\.h"|\bvz_spelling_of\( *[0-9]' "$file"; then
            echo "${file#"$root"/}: knows a format of Zarr, which is src/metadata's" && bad=1
        fi
        case " util mpi net store zip remote codec metadata array hierarchy command " in
        *" $room "*)
            if grep -nE '<hdf5\.h>|<H5[A-Z]|\bhid_t\b' "$file"; then
                echo "${file#"$root"/}: knows HDF5, but lives below the line" && bad=1
            fi
            ;;
        *) [ "$file" = "$root/src/h5/h5.h" ] || ! grep -nE '^#include <(hdf5|H5)' "$file" || { echo "${file#"$root"/}: includes HDF5 past h5/h5.h" && bad=1; } ;;
        esac
    done
done
if [ $# -gt 0 ]; then
    list=$root/test/circles.txt
    [ "$(grep -c '^inherent:' "$list")" -le 4 ] || { echo "$list: more than four circles are called inherent" && bad=1; }
    for file in $(sed -n 's/^    *//p' "$list"); do
        [ -e "$root/src/$file.c" ] || { echo "$list: there is no src/$file.c" && bad=1; }
    done
    [ -e "$1/src/libvz_util.a" ] || { echo "$1: nothing is built here" && bad=1; }
    for library in "$1"/src/libvz_*.a; do
        room=${library##*/libvz_} && room=${room%.a}
        [ -d "$root/src/$room" ] || continue # of a room that is no more
        nm -A "$library" | awk -v room="$room" -f "$root/test/circles.awk" "$list" - || bad=1
    done
fi
exit $bad
