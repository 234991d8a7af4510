/* zip_store.c - a zip file as a store: opening, and the small operations. Entries may be stored
 * or deflated; what we write is stored, as zarr-python's ZipStore does by default, since chunks
 * are compressed already. */
#include "base/os/file.h"
#include "store/zip/state_internal.h"
#include "store/zip/zip_internal.h"
#include "store/zip/replace_internal.h"
#include <errno.h>
#include <stdlib.h>

static bool zip_stat(vz_store *store, const char *key, vz_stamp *stamp, vz_error *err)
{
    vz_keytree_value value;
    bool found;
    if (!vz_zip_look_up(vz_zip_of(store), key, &value, &found, err))
        return false;
    *stamp = found ? (vz_stamp){.exists = true, .size = value.size, .inode = value.version} : (vz_stamp){0};
    return true;
}

static bool zip_list(vz_store *store, const char *prefix, vz_entry **entries, size_t *count, vz_error *err)
{
    return vz_zip_list_members(vz_zip_of(store), prefix, entries, count, err);
}

static void remove_locked(vz_zip *zip, const char *key, bool with_below)
{
    if (zip->spooled || zip->session.room.frontier)
        vz_keytree_values(zip->tree, key, with_below, vz_zip_drop, zip);
    if (vz_keytree_remove(zip->tree, key, with_below) && !vz_keytree_is_hidden(key)) {
        vz_zip_note_removed(zip, key, with_below);
        zip->changed = true;
    }
}

static bool remove_keys(vz_store *store, const char *key, bool with_below, vz_error *err)
{
    vz_zip *zip = vz_zip_of(store);
    vz_os_rwlock_write(&zip->lock);
    const bool ok = vz_zip_need_tree(zip, err);
    if (ok)
        remove_locked(zip, key, with_below);
    vz_os_rwlock_unlock(&zip->lock);
    return ok;
}

static bool zip_del(vz_store *store, const char *key, vz_error *err)
{
    return remove_keys(store, key, false, err);
}

static bool zip_del_tree(vz_store *store, const char *prefix, vz_error *err)
{
    return remove_keys(store, prefix, true, err);
}

static bool zip_rename_tree(vz_store *store, const char *from, const char *to, vz_error *err)
{
    vz_zip *zip = vz_zip_of(store);
    vz_os_rwlock_write(&zip->lock);
    const bool ok = vz_zip_need_tree(zip, err) && vz_keytree_move(zip->tree, from, to, err);
    if (ok)
        vz_zip_note_removed(zip, from, true);
    zip->changed |= ok;
    vz_os_rwlock_unlock(&zip->lock);
    return ok;
}

static bool zip_exchange_trees(vz_store *store, const char *a, const char *b, bool *done, vz_error *err)
{
    vz_zip *zip = vz_zip_of(store);
    vz_os_rwlock_write(&zip->lock);
    *done = vz_zip_need_tree(zip, err) && vz_keytree_exchange(zip->tree, a, b, err);
    if (*done) {
        vz_zip_note_removed(zip, a, true);
        vz_zip_note_removed(zip, b, true);
    }
    zip->changed |= *done;
    vz_os_rwlock_unlock(&zip->lock);
    return *done;
}

static void zip_close(vz_store *store)
{
    vz_zip *zip = vz_zip_of(store);
    vz_zip_end_writing(zip);
    vz_zip_cache_tree(zip);
    vz_os_rwlock_destroy(&zip->lock);
    if (zip->file >= 0)
        vz_os_close(zip->file);
    if (zip->spool >= 0)
        vz_os_close(zip->spool);
    free(store->path);
    free(zip);
}

typedef struct claim {
    bool (*has)(const char *key);
    uint64_t size;
} claim;

static bool add_claim(const char *key, bool is_hidden, vz_keytree_value *value, void *context, vz_error *err)
{
    claim *c = context;
    (void)err;
    if (!is_hidden && c->has(key) && !vz_add(c->size, value->size, &c->size))
        c->size = UINT64_MAX;
    return true;
}

static void zip_claims(vz_store *store, bool (*has)(const char *key), uint64_t *values, uint64_t *own)
{
    vz_zip *zip = vz_zip_of(store);
    claim c = {.has = has};
    *own = (uint64_t)zip->status.st_size;
    vz_os_rwlock_write(&zip->lock);
    if (!zip->tree && vz_zip_pages_content(zip->pages) <= *own)
        c.size = vz_zip_pages_content(zip->pages); /* of all values: documents take no more */
    else if (!vz_zip_need_tree(zip, NULL) || !vz_keytree_each(zip->tree, add_claim, &c, NULL))
        c.size = UINT64_MAX;
    vz_os_rwlock_unlock(&zip->lock);
    *values = c.size;
}

static bool zip_is_at(const vz_store *store, const char *path)
{
    struct stat status;
    return vz_os_stat(path, &status) == 0 && (uint64_t)status.st_dev == store->identity.part[0] &&
           (uint64_t)status.st_ino == store->identity.part[1];
}

static int zip_open_lock(const vz_store *store, const char *key)
{
    (void)key;
    const int file = vz_os_open(store->path, O_RDWR); /* only such a file can be locked for one
                                                       * alone */
    return file >= 0 ? file : vz_os_open(store->path, O_RDONLY);
}

const vz_store_class vz_zip_class = {
    .kind = "zip",
    .get = vz_zip_get,
    .get_ranges = vz_zip_get_ranges,
    .stat = zip_stat,
    .put = vz_zip_put,
    .put_new = vz_zip_put_new,
    .del = zip_del,
    .del_tree = zip_del_tree,
    .rename_tree = zip_rename_tree,
    .exchange_trees = zip_exchange_trees,
    .list = zip_list,
    .look_below = vz_zip_look_below,
    .is_at = zip_is_at,
    .open_lock = zip_open_lock,
    .set_lock = vz_zip_set_lock,
    .claims = zip_claims,
    .sync = vz_zip_sync,
    .commit = vz_zip_commit,
    .flush = vz_zip_flush,
    .renew = vz_zip_renew,
    .compact = vz_zip_compact,
    .verify = vz_zip_verify,
    .each_leftover = vz_zip_each_unfinished,
    .unused = vz_zip_unused,
    .image = vz_zip_image,
    .close = zip_close,
};

/* ---- opening ---- */

static bool know_header(vz_zip *zip, const vz_signature *known, vz_error *err)
{
    if (known)
        zip->header = *known;
    else if (!vz_signature_find(zip->file, (uint64_t)zip->status.st_size, &zip->header, err))
        return false;
    if (zip->header.kind != VZ_SIGNATURE_STORE)
        zip->header = (vz_signature){0};
    zip->base.user_block = zip->header.base;
    return true;
}

vz_store *vz_zip_over(int file, const char *path, const vz_signature *header, bool writable, vz_error *err)
{
    vz_zip *zip = calloc(1, sizeof *zip);
    char *real = zip ? strdup(path) : NULL;
    if (!real) {
        vz_fail_memory(err);
        free(zip);
        vz_os_close(file);
        return NULL;
    }
    zip->base.class = &vz_zip_class;
    zip->base.path = real;
    zip->base.capabilities = VZ_STORE_LIST | VZ_STORE_RENAME | VZ_STORE_CHEAP | VZ_STORE_SCATTERS | VZ_STORE_IN_ONE;
    if (writable)
        zip->base.capabilities |= VZ_STORE_WRITE;
    zip->file = file;
    zip->base.descriptor = &zip->file;
    vz_zip_spool_begin(zip, -1, 0);
    zip->unsynced = true;
    vz_os_rwlock_init(&zip->lock);
    bool ok = (vz_os_fstat(file, &zip->status) == 0 || vz_fail_errno(err, errno, "cannot stat the zip file")) &&
              know_header(zip, header, err);
    if (ok && !vz_zip_take_cached_tree(zip)) {
        const bool settled = vz_zip_is_settled(&zip->status);
        ok = vz_zip_load(zip, err);
        zip->settled = ok && settled;
    } else {
        zip->settled = ok;
    }
    if (ok && writable && zip->encrypted) /* packed anew they would be of no use to anybody */
        ok = vz_fail(err, VZ_UNSUPPORTED, "writing to a zip file with encrypted entries");
    if (!ok) {
        vz_error_where(err, path, NULL);
        zip_close(&zip->base);
        return NULL;
    }
    zip->base.identity = (vz_identity){{(uint64_t)zip->status.st_dev, (uint64_t)zip->status.st_ino}};
    return &zip->base;
}

vz_store *vz_zip_of_file(int file, const char *path, const vz_signature *header, bool writable, vz_error *err)
{
    char *real = vz_os_path_of_descriptor(file, path, err);
    if (!real) {
        vz_os_close(file);
        return NULL;
    }
    vz_store *store = vz_zip_over(file, real, header, writable, err);
    free(real);
    return store;
}

/* Not written through this descriptor, but who may not write the file may not replace it either. */
vz_store *vz_zip_open(const char *path, const vz_signature *header, bool writable, vz_error *err)
{
    const int file = vz_os_open(path, (writable ? O_RDWR : O_RDONLY) | O_NONBLOCK | O_NOCTTY);
    vz_store *store = file >= 0 ? vz_zip_of_file(file, path, header, writable, err) : NULL;
    if (store && writable)
        vz_zip_remove_residue(store->path);
    if (file >= 0)
        return store;
    vz_fail_errno(err, errno, "cannot open the zip file");
    vz_error_where(err, path, NULL);
    return NULL;
}

vz_store *vz_zip_open_path(const char *path, bool writable, vz_error *err)
{
    return vz_zip_open(path, NULL, writable, err);
}
