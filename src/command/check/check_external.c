/* check_external.c - links and references to other files. HDF5 allows them to lead nowhere, so that
 * is only noted. */
#include "command/check/check_internal.h"
#include "command/command/command.h"
#include "hierarchy/resolve/path.h"
#include <stdlib.h>

typedef enum answer { ANSWER_NO_FILE, ANSWER_NOTHING, ANSWER_THERE } answer;

/* Looks at one place. An HDF5 file is not looked into. */
static answer look(const vz_named *named, const char *place, const char *path)
{
    vz_subject subject;
    vz_error why = VZ_ERROR_NONE;
    vz_buffer all = {0};
    answer found = ANSWER_THERE;
    const vz_path_kind kind = vz_path_look_named(place, named);
    if (kind != VZ_PATH_ZARR)
        return kind == VZ_PATH_MISSING ? ANSWER_NO_FILE : ANSWER_THERE;
    if (!vz_buffer_printf(&all, NULL, "%s/%s", place, path) || !vz_buffer_append(&all, "", 1, NULL)) {
        vz_buffer_clear(&all);
        return ANSWER_THERE;
    }
    if (!vz_path_check_named((const char *)all.data, named, &why))
        found = ANSWER_THERE; /* nobody is asked */
    else if (vz_subject_open((const char *)all.data, &subject, &why))
        vz_subject_close(&subject);
    else if (why.class == VZ_NOT_FOUND)
        found = ANSWER_NOTHING;
    vz_buffer_clear(&all);
    return found;
}

/* `length` bytes of a directory's path, from which the file's goes on. */
static answer look_from(const vz_named *named, const char *directory, size_t length, const char *path)
{
    vz_buffer place = {0};
    answer found = ANSWER_THERE;
    if (vz_buffer_printf(&place, NULL, "%.*s/%s", (int)length, directory, named->name) &&
        vz_buffer_append(&place, "", 1, NULL))
        found = look(named, (const char *)place.data, path);
    vz_buffer_clear(&place);
    return found;
}

/* HDF5 looks beside the store; hdmf-zarr's paths are seen from within it. */
static answer find(const vz_check *check, const char *file, const char *path)
{
    const char *store = check->store->path, *slash = strrchr(store, '/');
    vz_named named = {.by = VZ_NAMER_LOCAL_FILE, .name = file, .store = store};
    if (check->hierarchy)
        named = vz_hierarchy_named(check->hierarchy, file);
    if (*file == '/')
        return look(&named, file, path);
    const answer beside = look_from(&named, slash ? store : ".", slash ? (size_t)(slash - store) : 1, path);
    const answer within = beside == ANSWER_THERE ? beside : look_from(&named, store, strlen(store), path);
    return beside > within ? beside : within;
}

/* Nothing is asked over a network because a link says so. */
static bool is_far(const char *file)
{
    return strstr(file, ":/") != NULL;
}

bool vz_check_other_file(vz_check *check, const char *where, const char *what, const char *file, const char *path,
                         vz_error *err)
{
    vz_buffer key = {0};
    bool is;
    if (!*file || is_far(file))
        return true;
    if (!vz_buffer_printf(&key, err, "file %s\n%s", file, path) || !vz_buffer_append(&key, "", 1, err)) {
        vz_buffer_clear(&key);
        return false;
    }
    const bool known = vz_check_known(check, (const char *)key.data, &is);
    const answer found = !known ? find(check, file, path) : is ? ANSWER_THERE : ANSWER_NOTHING;
    if (!known && found != ANSWER_NO_FILE)
        vz_check_remember(check, (const char *)key.data, found == ANSWER_THERE);
    vz_buffer_clear(&key);
    if (found == ANSWER_NO_FILE)
        vz_report_find(&check->report, VZ_FINDING_LINK, where, "%s to %s in %s, which is not there", what, path, file);
    else if (found == ANSWER_NOTHING)
        vz_report_find(&check->report, VZ_FINDING_LINK, where, "%s to %s in %s, where nothing is called so", what, path,
                       file);
    return true;
}
