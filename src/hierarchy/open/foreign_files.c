/* foreign_files.c - what in a directory is a Zarr store's, before all of it is deleted. A
 * directory with a .zgroup may hold a program's sources, too. */
#include "hierarchy/consolidated/consolidated.h"
#include "hierarchy/open/open.h"
#include "hierarchy/nodes/node_state.h"
#include "hierarchy/nodes/hierarchy.h"
#include "store/store/prefetch.h"
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>

enum { DEPTH_MAX = VZ_MAX_DEPTH + VZ_MAX_RANK + 2 }; /* groups, an array, its chunks */

/* Deleted with the store though no Zarr document or chunk: what file systems, desktops and other
 * Zarr writers leave. */
static const struct litter {
    const char *name; /* a pattern for the name, or with a slash for the path in the store */
    bool is_directory;
} litter[] = {
    {".DS_Store", false}, /* macOS */
    {"._*", false},
    {".AppleDouble", true},
    {"Thumbs.db", false}, /* Windows */
    {"desktop.ini", false},
    {".directory", false}, /* KDE */
    {"@eaDir", true},      /* Synology */
    {".nfs*", false},      /* deleted while somebody had it open, on NFS */
    {".fuse_hidden*", false},
    {"*/OME/METADATA.ome.xml", false},
    {"OME/METADATA.ome.xml", false},
    {".nczarr", false}, /* netCDF */
    {".nczgroup", false},
    {".nczarray", false},
    {".nczattr", false},
    {"?*.????????????????????????????????.partial", false}, /* zarr-python, not finished */
    {"?*.__lock", false},                                   /* tensorstore */
};

/* The kind of a directory decides which files may be in it. */
typedef enum place {
    PLACE_GROUP,
    PLACE_ARRAY,   /* or below one, or a directory without documents, in which chunks may have been
                    * left */
    PLACE_NOWHERE, /* no directory of a store: a link leads there */
} place;

typedef struct search {
    vz_store *store;
    bool is_far;         /* documents are known; what is below an array is the array's */
    char path[PATH_MAX]; /* in the store, of what is looked at */
} search;

/* The entries of one directory. */
typedef struct visit {
    search *search;
    place where;
    unsigned depth;
} visit;

/* Numbers with dots between them, "c" alone or with a dot before them. */
static bool is_chunk_name(const char *name)
{
    if (*name == 'c' && name[1] == '\0')
        return true;
    const char *at = name + (strncmp(name, "c.", 2) == 0 ? 2 : 0);
    for (;; at++) {
        const size_t digits = strspn(at, "0123456789");
        at += digits;
        if (digits == 0 || *at != '.')
            return digits > 0 && *at == '\0';
    }
}

static bool is_litter(const char *path, const char *name, bool is_directory)
{
    for (size_t i = 0; i < sizeof litter / sizeof *litter; i++) {
        const bool whole = strchr(litter[i].name, '/') != NULL;
        if (litter[i].is_directory == is_directory && fnmatch(litter[i].name, whole ? path : name, 0) == 0)
            return true;
    }
    return false;
}

/* By the name alone, but for those on the way. */
static bool has_document(search *s, const char *name)
{
    vz_store_key_kind kind = VZ_STORE_NOTHING;
    const size_t length = strlen(s->path);
    const int added = snprintf(s->path + length, sizeof s->path - length, "%s%s", length ? "/" : "", name);
    const bool fits = added > 0 && (size_t)added < sizeof s->path - length;
    bool found = false;
    vz_bytes bytes;
    const bool is_known = fits && vz_store_has_prefetched(s->store, s->path, &found, &bytes);
    const bool certain = is_known || (fits && vz_store_look(s->store, s->path, &kind, NULL));
    s->path[length] = '\0';
    if (is_known)
        return found;
    return certain && kind != VZ_STORE_NOTHING && kind != VZ_STORE_PREFIX;
}

static place place_of(search *s, bool followed)
{
    for (size_t i = 0; i < VZ_ZARR_FORMATS; i++) {
        const vz_zarr_format *zarr_format = vz_zarr_formats[i];
        if (has_document(s, zarr_format->array))
            return zarr_format->says && !followed &&
                           vz_node_document_look_says(s->store, s->path, zarr_format) == VZ_SAYS_GROUP
                       ? PLACE_GROUP
                       : PLACE_ARRAY;
        if (!zarr_format->says && has_document(s, zarr_format->group))
            return PLACE_GROUP;
    }
    return followed ? PLACE_NOWHERE : PLACE_ARRAY;
}

static bool in_the_way(const search *s, vz_error *err)
{
    return vz_fail_errno(err, EEXIST, "\"%.200s\" is not Zarr's, so nothing is removed", s->path);
}

/* Stores that somebody keeps in a directory do not become one by a .zgroup there. */
static bool check_no_store(search *s, vz_error *err)
{
    bool is_root = false;
    vz_error failed = VZ_ERROR_NONE;
    if (!vz_path_says_root(s->store, s->path, &is_root, &failed) && failed.class != VZ_CORRUPT) {
        if (err && err->class == VZ_OK)
            *err = failed;
        return false;
    }
    return !is_root || vz_fail_errno(err, EEXIST, "\"%.200s\" is a store of its own, so nothing is removed", s->path);
}

static bool check_directory(search *s, unsigned depth, vz_error *err);

/* A link of the user's is a member of the store when it leads to a node; what it leads to stays. */
static bool check_file(search *s, const char *name, vz_store_key_kind kind, place where)
{
    if (kind != VZ_STORE_VALUE && kind != VZ_STORE_LINK)
        return false;
    return vz_zarr_is_document(name) ||
           (where == PLACE_ARRAY && (is_chunk_name(name) || strcmp(name, VZ_META_REFERENCES_NAME) == 0)) ||
           is_litter(s->path, name, false) || (kind == VZ_STORE_LINK && place_of(s, true) != PLACE_NOWHERE);
}

static bool check_entry(void *context, const char *name, vz_store_key_kind kind, vz_error *err)
{
    const visit *v = context;
    search *s = v->search;
    const size_t length = strlen(s->path);
    const int added = snprintf(s->path + length, sizeof s->path - length, "%s%s", length ? "/" : "", name);
    bool ok = true;
    if (added < 0 || (size_t)added >= sizeof s->path - length)
        ok = vz_fail_errno(err, ENAMETOOLONG, "cannot look at what is in \"%.200s\"", s->path);
    else if (vz_partial_is_name(name)) /* nobody's data, whatever is in it */
        ok = true;
    else if (kind == VZ_STORE_PREFIX)
        ok = is_litter(s->path, name, true) ||
             (v->depth < DEPTH_MAX ? check_directory(s, v->depth + 1, err) : in_the_way(s, err));
    else
        ok = check_file(s, name, kind, v->where) || in_the_way(s, err);
    s->path[length] = '\0';
    return ok;
}

static bool is_array(search *s)
{
    for (size_t i = 0; i < VZ_ZARR_FORMATS; i++)
        if (has_document(s, vz_zarr_formats[i]->array))
            return true;
    return false;
}

static bool check_remote(search *s, visit *v, vz_error *err)
{
    vz_entry *entries = NULL;
    size_t count = 0;
    if (v->where == PLACE_ARRAY && is_array(s))
        return true;
    bool ok = vz_store_list_first(s->store, s->path, &entries, &count, err);
    for (size_t i = 0; ok && i < count; i++)
        ok = check_entry(v, entries[i].name, entries[i].is_prefix ? VZ_STORE_PREFIX : VZ_STORE_VALUE, err);
    vz_entries_free(entries, count);
    return ok;
}

static bool check_directory(search *s, unsigned depth, vz_error *err)
{
    visit v = {.search = s, .where = place_of(s, false), .depth = depth};
    if (v.where == PLACE_GROUP && depth > 0 && !check_no_store(s, err))
        return false;
    return s->is_far ? check_remote(s, &v, err) : vz_store_each_entry(s->store, s->path, check_entry, &v, err);
}

/* All documents, level by level. They stay with the store. */
static bool read_documents(vz_store *store, vz_error *err)
{
    bool ok = vz_store_pin_prefetched(store, err);
    for (size_t i = 0; ok && i < VZ_ZARR_FORMATS; i++)
        ok = vz_tree_prefetch(store, vz_zarr_formats[i], "", NULL, err);
    return ok;
}

bool vz_delete_check_all_is_zarr(vz_store *store, vz_error *err)
{
    search s = {.store = store, .is_far = !(store->capabilities & VZ_STORE_CHEAP)};
    return (!s.is_far || read_documents(store, err)) && check_directory(&s, 0, err);
}
