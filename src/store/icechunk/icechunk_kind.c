/* icechunk_kind.c - repositories as a kind of stores: one lies in a directory, a bucket or a zip
 * file that has no documents of Zarr. */
#include "store/icechunk/icechunk_internal.h"
#include <stdlib.h>

/* It is known by what another kind of store holds. */
static bool recognise(vz_location_probe *probe, vz_location *location, bool *is_it, vz_error *err)
{
    (void)probe, (void)location, (void)err;
    *is_it = false;
    return true;
}

/* "@branch.main/a/b": a reference, and a path in the store. */
static bool split(const char *word, char **which, char **inside, vz_error *err)
{
    const size_t length = *word == '@' ? strcspn(word, "/") : 0;
    const char *rest = word + length + strspn(word + length, "/");
    size_t size = strlen(rest);
    while (size > 0 && rest[size - 1] == '/')
        size--;
    *which = strndup(word, length);
    *inside = strndup(rest, size);
    return (*which && *inside) || vz_fail_memory(err);
}

static vz_store *look_within(vz_store *below, const char *word, const vz_options *remote, char **inside, vz_error *err)
{
    char *which = NULL;
    vz_store *store = NULL;
    *inside = NULL;
    if (split(word, &which, inside, err)) {
        store = vz_icechunk_over(below, which, remote, err);
        below = NULL;
    }
    vz_store_close(below);
    free(which);
    return store;
}

static vz_store *open_in_earnest(vz_store *looked, const char *root, bool writable, vz_error *err)
{
    if (looked && !writable)
        return looked;
    vz_store_close(looked);
    if (writable)
        vz_fail(err, VZ_READ_ONLY, "an Icechunk repository can only be read (h5zarr convert makes a store of it)");
    else
        vz_fail(err, VZ_INVALID, "a snapshot of a repository is opened once");
    vz_error_where(err, root, NULL);
    return NULL;
}

static vz_store *create(const char *path, vz_store_make how, uint64_t user_block, vz_error *err)
{
    (void)path, (void)how, (void)user_block;
    vz_fail(err, VZ_UNSUPPORTED, "making an Icechunk repository");
    return NULL;
}

static bool refuse_to_remove(const char *root, vz_error *err)
{
    (void)root;
    return vz_fail(err, VZ_READ_ONLY, "an Icechunk repository can only be read");
}

const vz_store_kind vz_icechunk_kind = {
    .name = "icechunk",
    .title = "Icechunk repository",
    .recognise = recognise,
    .open = open_in_earnest,
    .create = create,
    .remove = refuse_to_remove,
    .adapter = "icechunk:",
    .is_within = vz_icechunk_is,
    .look_within = look_within,
};
