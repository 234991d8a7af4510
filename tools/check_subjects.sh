#!/bin/sh
# check_subjects.sh [MESSAGE-FILE] - the subjects of commits: "area: verb object", at most 72 characters, no full stop,
# and an empty line behind it. Without an argument it judges all commits since BASE, and nothing where there is no
# history (an archive of the sources, a shallow clone). With one it judges that message: tools/hooks/commit-msg.
set -eu
BASE=b6282f61b63dd074d7291715df0b70dd969d06e9 # the rule began behind this commit
MOST=72
root=$(cd "$(dirname "$0")/.." && pwd)

# An area is a module (a folder of src), a folder of the top level, or one of a few words. A change of several has
# them all, with commas.
areas=$(cd "$root" && {
    find src -type d | sed 's|.*/||'
    find . -maxdepth 1 -type d ! -name '.*' | sed 's|.*/||'
    printf '%s\n' build ci changelog readme rewrite
} | sort -u | tr '\n' ' ')

bad=0
judge() { # NAME SUBJECT SECOND-LINE
    case $2 in Merge\ * | Revert\ * | fixup!\ * | squash!\ *) return ;; esac
    if [ ${#2} -gt $MOST ] && [ "$(printf %s "$2" | wc -m)" -gt $MOST ]; then
        echo "$1: the subject has more than $MOST characters: $2" && bad=1
    fi
    case $2 in *": "*) named=${2%%: *} ;; *) named=none ;; esac
    IFS=', '
    for area in $named; do
        case " $areas" in
        *" $area "*) ;;
        *) echo "$1: the subject does not begin with an area and \": \" (areas: $areas): $2" && bad=1 ;;
        esac
    done
    unset IFS
    case $2 in *.) echo "$1: the subject ends with a full stop: $2" && bad=1 ;; esac
    if [ -n "$3" ]; then
        echo "$1: the line behind the subject is not empty: $3" && bad=1
    fi
}

if [ $# -gt 0 ]; then
    judge "$1" "$(grep -v '^#' "$1" | sed -n 1p)" "$(grep -v '^#' "$1" | sed -n 2p)"
    exit $bad
fi
if ! git -C "$root" cat-file -e "$BASE^{commit}" 2>/dev/null || ! git -C "$root" merge-base --is-ancestor "$BASE" HEAD; then
    echo "no history here since $BASE: nothing to judge"
    exit 0
fi
# All messages in one go, since a process for each takes seconds. Three lines a commit: its name, the subject, the line behind it.
list=$(mktemp)
git -C "$root" log --no-merges --format='%x01%H%n%B' "$BASE..HEAD" \
    | awk '/^\001/ { if (n == 2) print ""; print substr($0, 2); n = 1; next } n && n < 3 { print; n++ } END { if (n == 2) print "" }' >"$list"
while IFS= read -r commit && IFS= read -r subject && IFS= read -r behind; do
    judge "$commit" "$subject" "$behind"
done <"$list"
rm -f "$list"
exit $bad
