/* temporary.c - a directory for the time of a command. SIGKILL leaves it; then its lock tells the
 * next command that its process is dead. */
#include "command/target/target_internal.h"
#include "base/os/file.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool make(vz_made *place, vz_error *err)
{
    if (!(place->directory = strdup(place->target)))
        return vz_fail_memory(err);
    if (vz_os_access(place->directory, W_OK | X_OK) != 0)
        return vz_fail_errno(err, errno, "no temporary directory can be made");
    if (!vz_made_lock(place, err))
        return false;
    if (asprintf(&place->partial, "%s/%s-XXXXXX", place->directory, place->mark) < 0) {
        place->partial = NULL;
        return vz_fail_memory(err);
    }
    return vz_os_mkdtemp(place->partial) == 0 || vz_fail_errno(err, errno, "no temporary directory can be made");
}

bool vz_made_temporary(vz_made *place, const char *directory, vz_error *err)
{
    *place = (vz_made){.lock = -1, .target = strdup(directory)};
    return place->target ? make(place, err) : vz_fail_memory(err);
}

bool vz_made_temporary_end(vz_made *place)
{
    bool gone = true;
    if (place->mark) {
        vz_made_remove_marked(place->directory, place->mark);
        gone = !place->partial || vz_os_access(place->partial, F_OK) != 0;
    }
    vz_made_clear(place);
    return gone;
}
