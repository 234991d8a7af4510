/* belongs.c - what in a directory is a Zarr store's, before all of it is deleted. A directory with a .zgroup may hold a
 * program's sources, too. */
#include "hierarchy/hierarchy.h"
#include "hierarchy/document.h"
#include "hierarchy/location.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEPTH_MAX = VZ_MAX_DEPTH + VZ_MAX_RANK + 2 }; /* groups, an array, its chunks */

/* Deleted with the store though no Zarr document or chunk: what file systems, desktops and other Zarr writers leave. */
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

static const char *const documents[] = {VZ_DOCUMENT_ARRAY, VZ_DOCUMENT_GROUP, VZ_DOCUMENT_ATTRIBUTES,
                                        VZ_DOCUMENT_CONSOLIDATED, VZ_DOCUMENT_V3};

/* What a directory is decides what may be in it. */
typedef enum place {
    PLACE_GROUP,
    PLACE_ARRAY,   /* or below one, or a directory without documents, in which chunks may have been left */
    PLACE_NOWHERE, /* no directory of a store: a link leads there */
} place;

typedef struct search {
    vz_store *store;
    int root;
    char path[PATH_MAX]; /* in the store, of what is looked at */
} search;

static bool is_one_of_documents(const char *name)
{
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++)
        if (strcmp(name, documents[i]) == 0)
            return true;
    return false;
}

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

static bool has_document(int directory, const char *name)
{
    struct stat status;
    return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(status.st_mode);
}

static place place_of(const search *s, int directory, bool followed)
{
    if (has_document(directory, VZ_DOCUMENT_V3))
        return !followed && vz_v3_look(s->store, s->path) == VZ_V3_GROUP ? PLACE_GROUP : PLACE_ARRAY;
    if (has_document(directory, VZ_DOCUMENT_ARRAY))
        return PLACE_ARRAY;
    if (has_document(directory, VZ_DOCUMENT_GROUP))
        return PLACE_GROUP;
    return followed ? PLACE_NOWHERE : PLACE_ARRAY;
}

static bool in_the_way(const search *s, vz_error *err)
{
    return vz_fail_errno(err, EEXIST, "\"%.200s\" is not Zarr's, so nothing is removed", s->path);
}

/* Stores that somebody keeps in a directory do not become one by a .zgroup there. */
static bool check_no_store(const search *s, vz_error *err)
{
    bool is_root = false;
    vz_error failed = VZ_ERROR_NONE;
    if (!vz_group_says_root(s->store, s->path, &is_root, &failed) && failed.class != VZ_CORRUPT) {
        if (err && err->class == VZ_OK)
            *err = failed;
        return false;
    }
    return !is_root || vz_fail_errno(err, EEXIST, "\"%.200s\" is a store of its own, so nothing is removed", s->path);
}

/* A link of the user's is a member of the store when it leads to a node; what it leads to stays. */
static bool is_link_to_node(const search *s, int directory, const char *name)
{
    const int target = openat(directory, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool is_node = target >= 0 && place_of(s, target, true) != PLACE_NOWHERE;
    if (target >= 0)
        close(target);
    return is_node;
}

static bool check_directory(search *s, int directory, unsigned depth, vz_error *err);

static bool check_below(search *s, int directory, const char *name, unsigned depth, vz_error *err)
{
    if (depth >= DEPTH_MAX)
        return in_the_way(s, err);
    const int below = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (below < 0)
        return errno == ENOENT || vz_fail_errno(err, errno, "cannot look into \"%.200s\"", s->path);
    return check_directory(s, below, depth + 1, err);
}

static bool check_file(const search *s, int directory, const char *name, mode_t mode, place where)
{
    if (!S_ISREG(mode) && !S_ISLNK(mode))
        return false;
    return is_one_of_documents(name) || (where == PLACE_ARRAY && is_chunk_name(name)) ||
           is_litter(s->path, name, false) || (S_ISLNK(mode) && is_link_to_node(s, directory, name));
}

static bool check_entry(search *s, int directory, const char *name, place where, unsigned depth, vz_error *err)
{
    const size_t length = strlen(s->path);
    struct stat status;
    const int added = snprintf(s->path + length, sizeof s->path - length, "%s%s", length ? "/" : "", name);
    bool ok = true;
    if (added < 0 || (size_t)added >= sizeof s->path - length)
        ok = vz_fail_errno(err, ENAMETOOLONG, "cannot look at what is in \"%.200s\"", s->path);
    else if (vz_is_partial_name(name)) /* nobody's data, whatever is in it */
        ok = true;
    else if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        ok = errno == ENOENT || vz_fail_errno(err, errno, "cannot stat \"%.200s\"", s->path);
    else if (S_ISDIR(status.st_mode))
        ok = is_litter(s->path, name, true) || check_below(s, directory, name, depth, err);
    else
        ok = check_file(s, directory, name, status.st_mode, where) || in_the_way(s, err);
    s->path[length] = '\0';
    return ok;
}

static bool is_dot(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Takes over the descriptor. */
static bool check_directory(search *s, int directory, unsigned depth, vz_error *err)
{
    const place where = place_of(s, directory, false);
    DIR *entries = NULL;
    const struct dirent *entry;
    if (where == PLACE_GROUP && depth > 0 && !check_no_store(s, err)) {
        close(directory);
        return false;
    }
    if (!(entries = fdopendir(directory))) {
        vz_fail_errno(err, errno, "cannot look into \"%.200s\"", s->path);
        close(directory);
        return false;
    }
    bool ok = true;
    while (ok && (errno = 0, entry = readdir(entries)))
        ok = is_dot(entry->d_name) || check_entry(s, directory, entry->d_name, where, depth, err);
    if (ok && errno)
        ok = vz_fail_errno(err, errno, "cannot look into \"%.200s\"", s->path);
    closedir(entries);
    return ok;
}

bool vz_check_all_is_zarr(const char *path, vz_error *err)
{
    search s = {.store = vz_store_open_directory(path, false, err)};
    if (!s.store)
        return false;
    s.root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool ok =
        s.root >= 0 ? check_directory(&s, s.root, 0, err) : vz_fail_errno(err, errno, "cannot look into the store");
    vz_store_close(s.store);
    return ok;
}
