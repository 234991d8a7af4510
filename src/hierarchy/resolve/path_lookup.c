/* path_lookup.c - what is at a path? Decided by looking only: the store tells where it leads,
 * the documents in its root tell what it is. */
#include "hierarchy/resolve/path_internal.h"
#include "hierarchy/resolve/open_stores.h"
#include "hierarchy/nodes/hierarchy.h"
#include "remote/protocol/remote_name.h"
#include "remote/protocol/remote.h"
#include "remote/bucket/bucket.h"
#include "store/kerchunk/kerchunk.h"
#include "store/store/kind.h"
#include "base/os/file.h"
#include <errno.h>
#include <stdlib.h>

static bool has_root(vz_store *store, bool *has, vz_error *err)
{
    const char *document;
    *has = false;
    for (size_t i = 0; !*has && (document = vz_zarr_document_name(i)) && vz_zarr_is_node_document(document); i++)
        if (!vz_store_has(store, document, has, err))
            return false;
    return true;
}

static bool has_members(vz_store *store, const char *prefix)
{
    vz_entry *entries = NULL;
    size_t count = 0;
    const bool found = vz_store_list(store, prefix, &entries, &count, NULL) && count > 0;
    vz_entries_free(entries, count);
    return found;
}

/* A store of this process has nothing in its file before it is closed for the first time. */
static bool is_open(const vz_path_result *found)
{
    return vz_location_is_file(&found->at) && !*found->at.inside && vz_registry_find(&found->at.identity);
}

/* A directory without documents is a group only inside of a store. */
static bool is_inside_group(vz_path_result *found)
{
    const char *root = vz_location_root(&found->at, NULL);
    vz_store *above =
        root && !vz_partial_is_name(strrchr(root, '/') + 1) ? vz_document_group_above(found->at.store, NULL) : NULL;
    vz_store_close(above);
    return above != NULL;
}

static vz_path_kind behind_file(vz_path_result *found)
{
    found->sys_errno = ENOTDIR;
    return VZ_PATH_MISSING;
}

static vz_path_kind without_root(vz_path_result *found)
{
    if (is_open(found))
        return VZ_PATH_ZARR;
    if (*found->at.inside)
        return behind_file(found);
    if (vz_location_is_file(&found->at))
        return VZ_PATH_FILE;
    if (vz_location_is_empty(&found->at, &found->sys_errno))
        return VZ_PATH_EMPTY_DIRECTORY;
    found->is_implicit = !found->sys_errno && is_inside_group(found);
    if (found->is_implicit)
        return VZ_PATH_ZARR;
    if (!found->sys_errno && !found->to_create)
        vz_path_result_name_foreign(found);
    return VZ_PATH_OTHER;
}

static vz_path_kind look_into(vz_path_result *found);

/* A store may lie in a directory that is none by itself. */
static vz_path_kind look_within(vz_path_result *found)
{
    vz_error failed = VZ_ERROR_NONE;
    if (!vz_location_look_within(&found->at, &failed)) {
        found->sys_errno = failed.sys_errno ? failed.sys_errno : EIO;
        return VZ_PATH_OTHER;
    }
    return found->at.within ? look_into(found) : without_root(found);
}

static vz_path_kind without_documents(vz_path_result *found)
{
    vz_error_set(&found->at.why, VZ_INVALID, "an %s, but there is no Zarr metadata in that snapshot",
                 vz_store_kind_title(found->at.within));
    return VZ_PATH_FILE;
}

/* A damaged list of a file's entries may show only now: opening says what is wrong with it. */
static vz_path_kind not_read(vz_path_result *found, const vz_error *failed)
{
    if (failed->class == VZ_CORRUPT && vz_location_is_file(&found->at)) {
        found->at.why = *failed;
        return VZ_PATH_FILE;
    }
    found->sys_errno = failed->sys_errno ? failed->sys_errno : EIO;
    return VZ_PATH_OTHER;
}

static vz_path_kind look_into(vz_path_result *found)
{
    vz_error failed = VZ_ERROR_NONE;
    bool is_root;
    if (!found->at.store) {
        if (!(found->sys_errno = found->at.why.sys_errno))
            /* opening says what is wrong with it */
            return *found->at.inside && !found->at.within ? behind_file(found) : VZ_PATH_FILE;
        return VZ_PATH_OTHER;
    }
    if (!has_root(found->at.store, &is_root, &failed))
        return not_read(found, &failed);
    if (!is_root)
        return found->at.within ? without_documents(found) : look_within(found);
    if (!*found->at.inside || has_members(found->at.store, found->at.inside))
        return VZ_PATH_ZARR;
    found->sys_errno = ENOENT;
    return VZ_PATH_MISSING;
}

static void name_kind(vz_path_result *found)
{
    if (found->at.hdf5) {
        found->kind = VZ_PATH_HDF5;
        return;
    }
    if (vz_location_is_elsewhere(&found->at)) {
        vz_path_result_probe_remote(found);
        return;
    }
    static const vz_path_kind kinds[] = {
        [VZ_PATH_TYPE_NONE] = VZ_PATH_MISSING, [VZ_PATH_TYPE_HDF5] = VZ_PATH_HDF5,
        [VZ_PATH_TYPE_FILE] = VZ_PATH_FILE,    [VZ_PATH_TYPE_EMPTY_FILE] = VZ_PATH_EMPTY_FILE,
        [VZ_PATH_TYPE_OTHER] = VZ_PATH_OTHER,  [VZ_PATH_TYPE_REDIRECT] = VZ_PATH_FILE,
    };
    found->sys_errno = found->at.sys_errno;
    found->kind = found->at.type == VZ_PATH_TYPE_STORE ? look_into(found) : kinds[found->at.type];
}

static bool look(const char *path, bool to_create, const vz_named *named, vz_path_result *found, vz_error *err)
{
    *found = (vz_path_result){.kind = VZ_PATH_MISSING, .to_create = to_create};
    if (!vz_location_find_named(path, named, &found->at, err))
        return false;
    name_kind(found);
    return true;
}

bool vz_path_result_look(const char *path, vz_path_result *found, vz_error *err)
{
    return look(path, false, NULL, found, err);
}

bool vz_path_result_look_named(const char *path, const vz_named *named, vz_path_result *found, vz_error *err)
{
    return look(path, false, named, found, err);
}

void vz_path_result_clear(vz_path_result *found)
{
    vz_location_clear(&found->at);
    *found = (vz_path_result){0};
}

/* ---- for those above ---- */

static vz_path_result *find(const char *path, bool to_create, const vz_named *named, vz_error *err)
{
    vz_path_result *found = malloc(sizeof *found);
    if (!found) {
        vz_fail_memory(err);
        return NULL;
    }
    if (look(path, to_create, named, found, err))
        return found;
    vz_path_result_free(found);
    return NULL;
}

vz_path_result *vz_path_find(const char *path, vz_error *err)
{
    return find(path, false, NULL, err);
}

vz_path_result *vz_path_find_named(const char *path, const vz_named *named, vz_error *err)
{
    return find(path, false, named, err);
}

vz_path_result *vz_path_find_to_create(const char *path, vz_error *err)
{
    return find(path, true, NULL, err);
}

vz_path_result *vz_path_find_byte_source(vz_byte_source *source, const char *name, bool writable, vz_error *err)
{
    vz_path_result *found = calloc(1, sizeof *found);
    if (!found) {
        vz_byte_source_close(source, NULL);
        vz_fail_memory(err);
        return NULL;
    }
    if (vz_location_find_over(source, name, writable, &found->at, err)) {
        name_kind(found);
        return found;
    }
    vz_path_result_free(found);
    return NULL;
}

void vz_path_result_free(vz_path_result *found)
{
    if (found)
        vz_path_result_clear(found);
    free(found);
}

vz_path_kind vz_path_result_kind(const vz_path_result *found)
{
    return found->kind;
}

int vz_path_result_errno(const vz_path_result *found)
{
    return found->sys_errno;
}

bool vz_path_result_is_recognised(const vz_path_result *found)
{
    return found->at.type == VZ_PATH_TYPE_STORE || found->at.type == VZ_PATH_TYPE_REDIRECT;
}

bool vz_path_result_is_elsewhere(const vz_path_result *found)
{
    return vz_location_is_elsewhere(&found->at);
}

const vz_error *vz_path_result_why(const vz_path_result *found)
{
    return &found->at.why;
}

const char *vz_path_result_path(const vz_path_result *found)
{
    return found->at.path;
}

const char *vz_path_result_label(const vz_path_result *found)
{
    return vz_location_label(&found->at);
}

vz_byte_source *vz_path_result_take_hdf5(vz_path_result *found, vz_options *asked_as)
{
    vz_byte_source *source = found->at.hdf5;
    found->at.hdf5 = NULL;
    *asked_as = found->at.asked_as;
    return source;
}

char *vz_path_whole_name(const char *path)
{
    vz_remote_name name;
    vz_error wrong = VZ_ERROR_NONE;
    if (!vz_remote_name_is(path))
        return NULL;
    char *whole = vz_remote_name_parse(path, &name, &wrong) ? vz_remote_name_print(&name, true, NULL) : NULL;
    vz_remote_name_clear(&name);
    return whole;
}

const char *vz_path_result_whole_name(const vz_path_result *found)
{
    return found->at.root ? found->at.root : found->at.path;
}

bool vz_path_result_is_doorway(const vz_path_result *found)
{
    return found->at.redirect;
}

bool vz_path_result_has_header(const vz_path_result *found)
{
    return found->at.redirect || vz_location_has_header(&found->at);
}

void vz_path_allow(const vz_options *options)
{
    vz_redirect_allow_anywhere(options->doorways == VZ_DOORWAYS_ANYWHERE);
    vz_kerchunk_use(options->targets);
    vz_bucket_use(options);
}

static vz_path_kind look_at(const char *path, const vz_named *named, int *sys_errno)
{
    vz_path_result found;
    vz_error err = VZ_ERROR_NONE;
    const bool ok = look(path, false, named, &found, &err);
    const vz_path_kind kind = ok ? found.kind : VZ_PATH_OTHER;
    if (sys_errno)
        *sys_errno = ok ? found.sys_errno : ENOMEM;
    if (ok)
        vz_path_result_remember(&found);
    vz_path_result_clear(&found);
    return kind;
}

vz_path_kind vz_path_look(const char *path, int *sys_errno)
{
    return look_at(path, NULL, sys_errno);
}

vz_path_kind vz_path_look_named(const char *path, const vz_named *named)
{
    return look_at(path, named, NULL);
}

bool vz_path_check_named(const char *path, const vz_named *named, vz_error *err)
{
    vz_error why = VZ_ERROR_NONE;
    const bool is_remote = vz_remote_name_is(path) && !vz_os_path_is_there(path);
    if (is_remote ? vz_remote_check_named(path, named, &why) : vz_named_check_path(named, path, false, &why))
        return true;
    if (why.class != VZ_PERMISSION && why.class != VZ_NO_MEMORY)
        return true; /* it leads nowhere */
    return vz_fail(err, why.class, "%s", why.text);
}

/* ---- the root of what is there ---- */

/* A group whose documents are damaged is nobody else's either: opening it tells what is wrong. */
static bool is_marked_root(vz_store *store, bool *is_root, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    if (vz_path_says_root(store, "", is_root, &failed))
        return true;
    *is_root = failed.class == VZ_CORRUPT || failed.class == VZ_LIMIT;
    if (!*is_root && err)
        *err = failed;
    return *is_root;
}

/* Climbs from a group as long as the directory above is one, but not beyond a marked root, nor
 * to where another process decides. An array is a root of its own, since a file begins with a
 * group and an array cannot be one. */
bool vz_path_result_climb(vz_path_result *found, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_location *at = &found->at;
    bool is_root = found->climbed || found->kind != VZ_PATH_ZARR || !at->store || !vz_store_has_above(at->store) ||
                   vz_document_root_is_array(at->store);
    found->climbed = true;
    while (!is_root) {
        vz_store *above = vz_document_group_above(at->store, &failed);
        if (!above || !is_marked_root(at->store, &is_root, &failed) || is_root) {
            vz_store_close(above);
            break;
        }
        if (!vz_location_climb(at, above, &failed))
            break;
    }
    if (failed.class != VZ_OK && err)
        *err = failed;
    return failed.class == VZ_OK;
}
