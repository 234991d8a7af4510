/* location_open.c - opens, creates and removes the store at a location. */
#include "store/store/kind_internal.h"
#include "base/os/file.h"

/* ---- opening ---- */

/* A store that lies in another one can only be read, and looking opened it. */
static vz_store *open_within(const vz_location *location, vz_store *looked, bool writable, vz_error *err)
{
    const char *title = location->within->title;
    if (looked && !writable)
        return looked;
    vz_store_close(looked);
    if (writable)
        vz_fail(err, VZ_READ_ONLY, "%s %s can only be read (h5zarr convert makes a store of it)",
                strchr("AEIOU", *title) ? "an" : "a", title);
    else
        vz_fail(err, VZ_INVALID, "what the %s holds is opened once", title);
    vz_error_where(err, location->root, NULL);
    return NULL;
}

vz_store *vz_location_open(vz_location *location, bool writable, vz_error *err)
{
    if (!location->store && location->why.class != VZ_OK) {
        if (err)
            *err = location->why;
        return NULL;
    }
    if (!vz_location_root(location, err))
        return NULL;
    vz_store *looked = location->store;
    if (!looked && (location->redirect || location->is_named) && location->kind->is_elsewhere) {
        /* with whose credentials? */
        vz_fail(err, VZ_INVALID, "a remote store behind a name in a file is opened once");
        return NULL;
    }
    location->store = NULL;
    if (location->over_byte_source)
        return looked;
    if (location->within)
        return open_within(location, looked, writable, err);
    return location->kind->open(looked, location->root, writable, err);
}

/* ---- making and removing ---- */

static bool ends_with(const char *path, const char *suffix)
{
    const size_t length = strlen(path), added = strlen(suffix);
    return length > added && strcmp(path + length - added, suffix) == 0;
}

/* The last kind without a suffix takes all names. A directory that is there becomes no file. */
static const vz_store_kind *kind_of_name(const char *path)
{
    const vz_store_kind *other = NULL;
    const vz_store_kind *const *kinds = vz_store_get_kinds();
    for (size_t i = 0; kinds[i]; i++) {
        const vz_store_kind *kind = kinds[i];
        if (kind->is_elsewhere || !kind->create)
            continue;
        if (!kind->suffix)
            other = kind;
        else if (ends_with(path, kind->suffix) && !(kind->is_file && vz_os_path_is_directory(path)))
            return kind;
    }
    return other;
}

static const vz_store_kind *kind_called(const char *name)
{
    const vz_store_kind *const *kinds = vz_store_get_kinds();
    for (size_t i = 0; kinds[i]; i++)
        if (!kinds[i]->is_elsewhere && strcmp(kinds[i]->name, name) == 0)
            return kinds[i];
    return NULL;
}

const vz_store_kind *vz_location_kind(const char *path, const vz_store_creation *wanted, vz_error *err)
{
    const vz_store_kind *kind = wanted->kind ? kind_called(wanted->kind) : kind_of_name(path);
    if (!kind)
        vz_fail(err, VZ_INVALID, "there is no kind of store called \"%.40s\"", wanted->kind ? wanted->kind : "");
    else if (!kind->create)
        vz_fail(err, VZ_UNSUPPORTED, "making a %s", kind->title);
    else if (wanted->user_block && !kind->has_user_block)
        vz_fail(err, VZ_UNSUPPORTED, "a user block of %llu bytes before a store that is a %s",
                (unsigned long long)wanted->user_block, kind->title);
    else
        return kind;
    return NULL;
}

vz_store *vz_location_create(const char *path, const vz_store_kind *kind, uint64_t user_block, vz_store_make how,
                             vz_error *err)
{
    return kind->create(path, how, user_block, err);
}

bool vz_location_replaces_file(const vz_store_kind *kind)
{
    return kind->replaces_file;
}

bool vz_location_kind_is_file(const vz_store_kind *kind)
{
    return kind->is_file;
}

bool vz_location_remove(const vz_store_kind *kind, const char *root, vz_error *err)
{
    return kind->remove(root, err);
}

const char *vz_store_kind_name(const vz_store_kind *kind)
{
    return kind->name;
}

const char *vz_store_kind_title(const vz_store_kind *kind)
{
    return kind->title;
}
