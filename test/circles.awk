# circles.awk - files of one room that call each other in a circle, held to a list of those that are allowed.
#
#   nm -A OBJECTS | awk -v room=ROOM -f circles.awk circles.txt -
#
# A file leads to another when it needs a symbol (a function, a table) that the other defines; a circle is a set of files of
# which each leads to each (a strongly connected component, by Tarjan's algorithm). The list says which files may stand in
# one; a file on it that stands in none must be taken off. Exit status 1: the room and its list differ.

FNR == NR { # the list
    sub(/#.*/, "")
    if ($1 == "inherent:") {
        circle++
    } else {
        for (i = 1; i <= NF; i++)
            if (index($i, room "/") == 1) listed[substr($i, length(room) + 2)] = circle
    }
    next
}

{ # of nm: LIBRARY:FILE.c.o:ADDRESS TYPE SYMBOL, or without an address where the symbol is another file's
    if (!match($0, /[^\/:]+\.c\.o:/)) next
    file = substr($0, RSTART, RLENGTH - 5)
    type = $(NF - 1)
    files[file] = 1
    if (type == "U") needs[file, ++count[file]] = $NF
    else if (type ~ /[TDBRVWCG]/ && !($NF in home)) home[$NF] = file
}

function visit(file,    i, to, top, n, members, why) {
    order[file] = low[file] = ++clock
    stack[++depth] = file
    waits[file] = 1
    for (i = 1; i <= count[file]; i++) {
        if (!(needs[file, i] in home)) continue
        to = home[needs[file, i]]
        if (to == file) continue
        if (!(to in order)) {
            visit(to)
            if (low[to] < low[file]) low[file] = low[to]
        } else if (waits[to] && order[to] < low[file])
            low[file] = order[to]
    }
    if (low[file] != order[file]) return
    n = 0
    do {
        top = stack[depth--]
        waits[top] = 0
        members[++n] = top
    } while (top != file)
    if (n > 1) judge(members, n)
}

function judge(members, n,    i, j, k, within, circle) {
    for (i = 1; i <= n; i++) within[members[i]] = 1
    circle = listed[members[1]]
    for (i = 1; i <= n; i++) {
        found[members[i]] = 1
        if (members[i] in listed && listed[members[i]] == circle) continue
        bad = 1
        printf "%s/%s: stands in a circle that test/circles.txt does not allow:\n", room, members[i]
        for (j = 1; j <= n; j++)
            for (k = 1; k <= count[members[j]]; k++)
                if ((members[j] == members[i] || home[needs[members[j], k]] == members[i]) &&
                    home[needs[members[j], k]] != members[j] && home[needs[members[j], k]] in within)
                    printf "    %s -> %s (%s)\n", members[j], home[needs[members[j], k]], needs[members[j], k]
    }
}

END {
    for (file in files)
        if (!(file in order)) visit(file)
    for (file in listed)
        if (!(file in found)) {
            bad = 1
            printf "%s/%s: stands in no circle any more: take it off test/circles.txt\n", room, file
        }
    exit bad
}
