/* stored_name.c - see kind.h. */
#include "store/store/kind.h"
#include "base/os/file.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_SIZE 200

/* Messages have no user and no query. */
static const char *print_name(const char *name, char text[NAME_SIZE])
{
    const char *colon = strstr(name, ":/");
    const size_t scheme = colon ? (size_t)(colon - name) + 2 : 0;
    const char *place = name + scheme + strspn(name + scheme, "/");
    const char *at = colon ? memchr(place, '@', strcspn(place, "/?#")) : NULL;
    const char *rest = at ? at + 1 : name + scheme;
    const int size = (int)(colon ? strcspn(rest, "?#") : strlen(rest));
    snprintf(text, NAME_SIZE, "%.*s%.*s", (int)scheme, name, size, rest);
    return text;
}

static vz_name_case case_of(const vz_named *named)
{
    return (vz_name_case){.by = named->by, .trusted = named->trusted, .links = named->links, .targets = named->targets};
}

/* Does it stand in a file of this machine? */
static bool is_said_here(const vz_named *named)
{
    return named->by == VZ_NAMER_LOCAL_FILE || named->by == VZ_NAMER_REFERENCE_FILE;
}

static const char *reason_in_references(const vz_named *named, vz_name_destination target)
{
    const bool is_local = is_said_here(named);
    if (target == VZ_TARGET_DISK)
        return is_local ? "which does not lie below the reference file's own directory"
                        : "a file of this machine, where no remote reference file leads";
    if (named->targets == VZ_TARGETS_BELOW)
        return "which does not lie below the reference file";
    return target == VZ_TARGET_PRIVATE ? "an address of this machine or of a private network"
                                       : "which leads to a server, and the reference file is somebody else's";
}

static const char *reason_of(const vz_named *named, vz_name_destination target)
{
    const bool is_local = is_said_here(named);
    if (named->by == VZ_NAMER_REFERENCE_FILE || named->by == VZ_NAMER_REMOTE_REFERENCES)
        return reason_in_references(named, target);
    if (target == VZ_TARGET_DISK)
        return is_local ? "which does not lie below the store's own directory"
                        : "a file of this machine, where no name in a remote store leads";
    return is_local ? "which leads to a server, where no name in a local file leads"
                    : "which does not lie below the remote store's own prefix";
}

static bool refuse(const vz_named *named, vz_name_destination target, vz_error *err)
{
    char text[NAME_SIZE];
    vz_error why = VZ_ERROR_NONE;
    const vz_name_case said = case_of(named);
    const char *option = vz_name_option(&said, target);
    const char *how = option && target != VZ_TARGET_DISK ? ", without credentials" : "";
    vz_error_set(&why, VZ_PERMISSION, "it names \"%s\", %s%s%s%s%s", print_name(named->name, text),
                 reason_of(named, target), option ? " (option " : "", option ? option : "",
                 option ? " allows that" : "", option ? how : "");
    if (option)
        strncat(why.text, ")", sizeof why.text - strlen(why.text) - 1);
    vz_named_note(named, &why);
    return vz_fail(err, why.class, "%s", why.text);
}

bool vz_named_fail(const vz_named *named, vz_error *err, const char *why)
{
    char text[NAME_SIZE];
    vz_error failed = VZ_ERROR_NONE;
    vz_error_set(&failed, VZ_PERMISSION, "it names \"%s\": %s", print_name(named->name, text), why);
    vz_named_note(named, &failed);
    return vz_fail(err, failed.class, "%s", failed.text);
}

void vz_named_note(const vz_named *named, const vz_error *why)
{
    if (named && named->refused && named->refused->class == VZ_OK)
        *named->refused = *why;
}

bool vz_named_decide(const vz_named *named, vz_name_destination target, vz_reach *reach, vz_option_hosts *hosts,
                     vz_error *err)
{
    const vz_name_case said = case_of(named);
    *reach = vz_name_decide(&said, target);
    *hosts = vz_name_hosts(&said);
    return *reach != VZ_REACH_REFUSED || refuse(named, target, err);
}

/* ---- paths ---- */

/* Below the directory `path`, or (`of`) below the directory that it lies in. */
static bool is_below(const char *real, const char *path, bool of)
{
    char *resolved = path ? vz_os_path_resolve(path, NULL) : NULL;
    if (resolved && of) {
        const size_t length = vz_os_directory_length(resolved);
        resolved[length > 1 ? length - 1 : length] = '\0';
    }
    const bool below = resolved && vz_os_path_is_below(real, resolved);
    free(resolved);
    return below;
}

bool vz_named_may_leave(const vz_named *named)
{
    const vz_name_case said = case_of(named);
    return vz_name_decide(&said, VZ_TARGET_DISK) != VZ_REACH_REFUSED;
}

bool vz_named_check_path(const vz_named *named, const char *path, bool creates, vz_error *err)
{
    if (vz_named_may_leave(named))
        return true;
    char *whole = vz_os_path_absolute(path, err), *real = whole ? vz_os_path_resolve_what_is_there(whole, err) : NULL;
    const bool below =
        real && (is_below(real, named->prefix, false) || (is_said_here(named) && is_below(real, named->store, true)));
    const bool is_there = creates || (real && vz_os_path_is_there(real)), found = real != NULL;
    free(whole);
    free(real);
    if (below || !found)
        return below;
    return is_there ? refuse(named, VZ_TARGET_DISK, err) : vz_fail_errno(err, ENOENT, "cannot find where it leads");
}
