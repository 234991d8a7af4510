/* icechunk_kind.c - repositories as a kind of stores: one lies in a directory, a bucket or a zip
 * file that has no documents of Zarr. */
#include "store/icechunk/icechunk_internal.h"
#include <stdlib.h>

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

const vz_store_kind vz_icechunk_kind = {
    .name = "icechunk",
    .title = "Icechunk repository",
    .adapter = "icechunk:",
    .is_within = vz_icechunk_is,
    .look_within = look_within,
};
