#!/bin/sh
# object_of.sh BUILD COMPILER ARGUMENT... - compiles, as the compiler does, unless BUILD has that object already (a launcher of compilers for
# CMake). Two builds that differ in VZ_OS alone have the same objects but those of base/os and of plugin/, where a definition tells.
# The object depends on the other build's, which must be up to date.
build=$1
shift
object='' dependencies='' before=''
for word in "$@"; do
    case $before in
        -o) object=$word ;;
        -MF) dependencies=$word ;;
    esac
    case $word in
        -DVZ_OS_POSIX | -U_GNU_SOURCE) exec "$@" ;;
    esac
    before=$word
done
[ -n "$dependencies" ] && [ -f "$build/$object" ] || exec "$@"
printf '%s: %s\n' "$object" "$build/$object" >"$dependencies"
exec ln -f "$build/$object" "$object"
