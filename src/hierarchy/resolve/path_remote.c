/* path_remote.c - what is at a remote name. The documents of its root are requested together.
 * The result is remembered for some seconds, since programs ask what a name is before they open
 * it. */
#include "hierarchy/resolve/path_internal.h"
#include "hierarchy/resolve/open_stores.h"
#include "hierarchy/nodes/hierarchy.h"
#include "base/os/process.h"
#include "remote/bucket/bucket.h"
#include "store/kerchunk/kerchunk.h"
#include "store/store/prefetch.h"
#include <errno.h>

/* ---- remembered ---- */

#define RECENT_MAX     4
#define RECENT_MAX_NS  3000000000 /* how long it is what is there */
#define MISSING_MAX_NS 500000000  /* how long nothing is: somebody may wait for it to be made */

/* The result of a probe and the values that it read. It answers one open, which takes the values
 * over. */
typedef struct recent {
    vz_identity identity; /* all zeros: nothing */
    bool is_plain_file;
    struct vz_prefetch_table *read;
    vz_path_kind kind;
    vz_error why;
    int64_t since_ns;
} recent;

static recent table[RECENT_MAX];

static void clear(recent *r)
{
    vz_prefetch_table_free(r->read);
    *r = (recent){0};
}

static bool is_old(const recent *r)
{
    return vz_os_now_ns() - r->since_ns > (r->kind == VZ_PATH_MISSING ? MISSING_MAX_NS : RECENT_MAX_NS);
}

static recent *find(const vz_identity *identity)
{
    for (size_t i = 0; i < RECENT_MAX; i++) {
        if (vz_identity_is_known(&table[i].identity) && is_old(&table[i]))
            clear(&table[i]);
        if (vz_identity_is_known(identity) && vz_identity_equal(&table[i].identity, identity))
            return &table[i];
    }
    return NULL;
}

/* A free place, or that of the oldest. */
static recent *place(void)
{
    recent *chosen = &table[0];
    for (size_t i = 0; i < RECENT_MAX; i++) {
        if (!vz_identity_is_known(&table[i].identity))
            return &table[i];
        if (table[i].since_ns < chosen->since_ns)
            chosen = &table[i];
    }
    clear(chosen);
    return chosen;
}

/* A result that is taken out and put back is as old as it was. */
void vz_path_result_remember(vz_path_result *found)
{
    vz_store *store = found->at.store;
    if (found->at.hdf5) {
        vz_bucket_remember_hdf5(found->at.hdf5);
        found->at.hdf5 = NULL;
    }
    if (!store || !vz_location_is_elsewhere(&found->at) || !vz_identity_is_known(&found->at.identity) ||
        vz_registry_find(&found->at.identity))
        return;
    recent *r = find(&found->at.identity);
    vz_store_forget_refused(store);
    if (r)
        clear(r);
    else
        r = place();
    *r = (recent){.identity = found->at.identity,
                  .is_plain_file = found->is_plain_file,
                  .kind = found->kind,
                  .why = found->at.why};
    r->since_ns = found->since_ns ? found->since_ns : vz_os_now_ns();
    r->read = store->prefetched;
    store->prefetched = NULL;
}

/* The location goes on to the file of that name. */
static bool take_file(vz_path_result *found)
{
    found->is_plain_file = vz_bucket_look_for_file(&found->at) && found->at.store;
    return found->is_plain_file || found->at.hdf5;
}

static bool take_recent(vz_path_result *found)
{
    recent *r = find(&found->at.identity);
    if (!r)
        return false;
    if (r->is_plain_file && !(take_file(found) && found->is_plain_file)) {
        clear(r);
        return false;
    }
    found->kind = r->kind;
    found->at.why = r->why;
    found->since_ns = r->since_ns;
    if (!found->at.store->prefetched) {
        found->at.store->prefetched = r->read;
        r->read = NULL;
    }
    clear(r);
    return true;
}

/* ---- asked ---- */

static bool is_found(vz_store *store, const char *document)
{
    bool found = false;
    vz_bytes bytes;
    return vz_store_has_prefetched(store, document, &found, &bytes) && found;
}

/* References in Parquet files have a document of that name, too. */
static bool is_copy(vz_store *store, const char *document)
{
    bool found = false;
    vz_bytes bytes;
    return vz_store_has_prefetched(store, document, &found, &bytes) && found && !vz_kerchunk_is_directory(bytes);
}

#define DOCUMENTS_MAX (4 * VZ_ZARR_FORMATS)

static size_t all_names(const char *names[DOCUMENTS_MAX])
{
    size_t count = 0;
    for (const char *name; count < DOCUMENTS_MAX && (name = vz_zarr_document_name(count)); count++)
        names[count] = name;
    return count;
}

/* Documents that hold a copy of all others tell the most. `all`: the others are asked for with
 * them. */
static bool read_copies(vz_store *store, bool all, bool *has, vz_error *err)
{
    const char *names[VZ_ZARR_FORMATS], *every[DOCUMENTS_MAX];
    vz_error failed = VZ_ERROR_NONE;
    for (size_t i = 0; i < VZ_ZARR_FORMATS; i++)
        names[i] = vz_zarr_formats[i]->consolidated ? vz_zarr_formats[i]->consolidated : vz_zarr_formats[i]->group;
    const size_t count = all ? all_names(every) : VZ_ZARR_FORMATS;
    if (!vz_store_read_first(store, all ? every : names, count, VZ_DOCUMENT_MAX_SIZE, &failed) &&
        failed.class != VZ_LIMIT) {
        *err = failed;
        return false;
    }
    for (size_t i = 0; i < VZ_ZARR_FORMATS; i++)
        *has = *has || is_copy(store, names[i]);
    return true;
}

static bool read_others(vz_store *store, bool *has, vz_error *err)
{
    const char *names[DOCUMENTS_MAX];
    const size_t count = all_names(names);
    if (!vz_store_read_first(store, names, count, VZ_DOCUMENT_MAX_SIZE, err))
        return false;
    for (size_t i = 0; i < count; i++)
        *has = *has || (vz_zarr_is_node_document(names[i]) && is_found(store, names[i]));
    return true;
}

void vz_path_result_ask_again(vz_path_result *found)
{
    const bool was_remembered = found->since_ns;
    if (found->at.hdf5 || !was_remembered || found->kind == VZ_PATH_ZARR)
        return;
    vz_store_forget_prefetched(found->at.store, NULL);
    found->since_ns = 0;
    found->at.why = VZ_ERROR_NONE;
    vz_path_result_probe_remote(found);
}

/* Without documents there may be a repository. *has: it has some. */
static bool look_within(vz_path_result *found, bool *has, vz_error *err)
{
    vz_location *at = &found->at;
    if (!at->within && !found->to_create && !vz_location_look_within(at, err))
        return false;
    for (size_t i = 0; at->within && at->store && !*has && i < VZ_ZARR_FORMATS; i++)
        if (!vz_store_has(at->store, vz_zarr_formats[i]->group, has, err))
            return false;
    if (at->within && at->store && !*has)
        vz_error_set(&at->why, VZ_INVALID, "an %s, but there is no Zarr metadata in that snapshot",
                     vz_store_kind_title(at->within));
    return true;
}

static bool read_documents(vz_path_result *found, bool *has, vz_error *err)
{
    return read_copies(found->at.store, found->to_create, has, err) && (*has || read_others(found->at.store, has, err));
}

/* Nor a repository: the name may be that of a file. */
static bool look_for_file(vz_path_result *found, bool *has, vz_error *err)
{
    if (found->at.within || found->to_create || !take_file(found))
        return true;
    return found->at.hdf5 || read_documents(found, has, err);
}

static bool ask(vz_path_result *found, bool *has, vz_error *err)
{
    if (found->at.hdf5)
        return true;
    return (found->at.within || read_documents(found, has, err)) && (*has || look_within(found, has, err)) &&
           (*has || look_for_file(found, has, err));
}

static vz_path_kind kind_of(const vz_path_result *found, bool is_read, bool has)
{
    if (!is_read || (found->at.within && !has))
        return VZ_PATH_OTHER;
    return has ? VZ_PATH_ZARR : found->at.hdf5 ? VZ_PATH_HDF5 : VZ_PATH_MISSING;
}

/* There are no directories: without documents nothing is there, or a file. */
void vz_path_result_probe_remote(vz_path_result *found)
{
    vz_error failed = VZ_ERROR_NONE;
    bool has = false;
    if (!found->at.store) /* a name of nothing, as of a bucket as a whole, or a wrong one */
        found->kind = found->at.why.sys_errno == ENOENT ? VZ_PATH_MISSING : VZ_PATH_OTHER;
    else if (vz_registry_find(&found->at.identity))
        found->kind = VZ_PATH_ZARR;
    else if (!take_recent(found)) {
        const bool read = ask(found, &has, &failed);
        if (!read) {
            vz_error_where(&failed, vz_location_label(&found->at), NULL);
            found->at.why = failed;
        }
        found->kind = kind_of(found, read, has);
    }
    found->sys_errno = found->kind == VZ_PATH_MISSING ? ENOENT : 0;
}
