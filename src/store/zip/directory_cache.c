/* directory_cache.c - the tree, or the pages, of the zip file that was closed last. Opening a path
 * looks first, sometimes more than once, and then opens: the central directory is read once. */
#include "base/os/file.h"
#include "base/os/process.h"
#include "store/zip/state_internal.h"

/* A file that was written a moment before it was read may be written again without another time. */
#define SETTLED_NS 100000000LL

static vz_os_mutex lock = VZ_OS_MUTEX_INIT;
static vz_keytree *last;
static vz_zip_pages *last_pages; /* of these two one at most is there */
static struct stat last_status;
static vz_zip last_zip; /* what was known of it beside */

static bool same_file(const struct stat *a, const struct stat *b)
{
    return vz_os_file_is_same(a, b) && a->st_size == b->st_size && vz_time_is_same(&a->st_mtim, &b->st_mtim) &&
           vz_time_is_same(&a->st_ctim, &b->st_ctim);
}

bool vz_zip_is_settled(const struct stat *status)
{
    const struct timespec now = vz_os_file_date();
    return (now.tv_sec - status->st_ctim.tv_sec) * 1000000000LL + (now.tv_nsec - status->st_ctim.tv_nsec) > SETTLED_NS;
}

void vz_zip_take_facts(vz_zip *zip, const vz_zip *known)
{
    zip->size = known->size;
    zip->directory = known->directory;
    zip->slot = known->slot;
    zip->end = known->end;
    zip->prefix = known->prefix;
    zip->live = known->live;
    zip->versions = known->versions;
    zip->encrypted = known->encrypted;
    zip->doubt = known->doubt;
}

bool vz_zip_take_cached_tree(vz_zip *zip)
{
    vz_os_mutex_lock(&lock);
    const bool found = (last || last_pages) && same_file(&last_status, &zip->status);
    if (found) {
        zip->tree = last;
        zip->pages = last_pages;
        vz_zip_take_facts(zip, &last_zip);
        last = NULL;
        last_pages = NULL;
    }
    vz_os_mutex_unlock(&lock);
    return found;
}

void vz_zip_cache_tree(vz_zip *zip)
{
    vz_keytree *older = zip->tree;
    vz_zip_pages *older_pages = zip->pages;
    if (zip->settled && !zip->changed && zip->spool < 0) {
        vz_os_mutex_lock(&lock);
        older = last;
        older_pages = last_pages;
        last = zip->tree;
        last_pages = zip->pages;
        last_status = zip->status;
        vz_zip_take_facts(&last_zip, zip);
        vz_os_mutex_unlock(&lock);
    }
    vz_keytree_free(older);
    vz_zip_pages_free(older_pages);
    zip->tree = NULL;
    zip->pages = NULL;
}
