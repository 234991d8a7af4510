/* lindi_directory.c - LINDI's directory of a reference file and chunks, as a kind of stores. */
#include "store/kerchunk/kerchunk_internal.h"
#include <stdio.h>
#include <stdlib.h>

#define REFERENCES "lindi.json"

static size_t size_max(const vz_store *below)
{
    return below->capabilities & VZ_STORE_CHEAP ? VZ_KERCHUNK_MAX_SIZE : VZ_KERCHUNK_REMOTE_MAX_SIZE;
}

static bool is_within(vz_store *below, bool *is_it, vz_error *err)
{
    return vz_kerchunk_document_below(below, REFERENCES, size_max(below), vz_kerchunk_is, is_it, err);
}

/* As the file itself would be, in whose directory the names are. */
static vz_store *over(vz_store *below, const vz_options *remote, vz_error *err)
{
    vz_buffer text = {.limit = size_max(below)};
    vz_kerchunk_origin origin = vz_kerchunk_origin_below(below, REFERENCES, remote);
    vz_store *store = NULL;
    char *path = NULL;
    bool found = false;
    if (asprintf(&path, "%s/" REFERENCES, below->path) < 0) {
        vz_fail_memory(err);
    } else {
        origin.path = path;
        if (vz_store_get(below, REFERENCES, VZ_WHOLE, &text, &found, err) &&
            (found || vz_fail(err, VZ_NOT_FOUND, "there is no " REFERENCES)) &&
            vz_kerchunk_stamp_below(below, REFERENCES, text.size, &origin.stamp, err))
            store = vz_kerchunk_over(&text, &origin, err);
        free(path);
    }
    vz_buffer_clear(&text);
    return store;
}

static vz_store *look_within(vz_store *below, const char *word, const vz_options *remote, char **inside, vz_error *err)
{
    *inside = strdup(word + strspn(word, "/"));
    vz_store *store = *inside ? over(below, remote, err) : NULL;
    if (!*inside)
        vz_fail_memory(err);
    vz_store_close(below);
    return store;
}

const vz_store_kind vz_kerchunk_lindi_kind = {
    .name = "lindi",
    .title = "directory of LINDI's",
    .is_within = is_within,
    .look_within = look_within,
};
