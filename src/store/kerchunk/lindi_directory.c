/* lindi_directory.c - LINDI's directory of a reference file and chunks, as a kind of stores. */
#include "base/os/file.h"
#include "store/kerchunk/kerchunk_internal.h"
#include <stdio.h>
#include <stdlib.h>

#define REFERENCES "lindi.json"

/* Asked as it is read: servers refuse questions about a value that they give. */
static bool is_within(vz_store *below, bool *is_it, vz_error *err)
{
    vz_buffer text = {.limit = VZ_KERCHUNK_MAX_SIZE};
    bool found = false;
    const bool ok = vz_store_get(below, REFERENCES, VZ_WHOLE, &text, &found, err);
    *is_it = ok && found && vz_kerchunk_is((vz_bytes){text.data, text.size});
    vz_buffer_clear(&text);
    return ok;
}

/* As the file itself would be, in whose directory the names are. */
static vz_store *over(vz_store *below, const vz_options *remote, vz_error *err)
{
    struct stat status;
    vz_buffer text = {.limit = remote ? VZ_KERCHUNK_REMOTE_MAX_SIZE : VZ_KERCHUNK_MAX_SIZE};
    vz_kerchunk_origin origin = {.is_remote = remote, .identity = below->identity};
    vz_store *store = NULL;
    char *path = NULL;
    bool found = false;
    if (remote)
        origin.options = *remote;
    origin.options.targets = vz_kerchunk_used_targets();
    origin.is_own = !remote && vz_os_stat(below->path, &status) == 0 && vz_os_is_own(&status);
    origin.identity.part[1] ^= vz_hash(REFERENCES, strlen(REFERENCES), 0);
    if (asprintf(&path, "%s/" REFERENCES, below->path) < 0) {
        vz_fail_memory(err);
    } else {
        origin.path = path;
        if (vz_store_stat(below, REFERENCES, &origin.stamp, err) &&
            vz_store_get(below, REFERENCES, VZ_WHOLE, &text, &found, err) &&
            (found || vz_fail(err, VZ_NOT_FOUND, "there is no " REFERENCES)))
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

static bool recognise(vz_location_probe *probe, vz_location *location, bool *is_it, vz_error *err)
{
    (void)probe, (void)location, (void)err;
    *is_it = false;
    return true;
}

static vz_store *open_in_earnest(vz_store *looked, const char *root, bool writable, vz_error *err)
{
    if (looked && !writable)
        return looked;
    vz_store_close(looked);
    vz_fail(err, writable ? VZ_READ_ONLY : VZ_INVALID,
            "a directory of LINDI's can only be read (h5zarr convert makes a store of it)");
    vz_error_where(err, root, NULL);
    return NULL;
}

static vz_store *create(const char *path, vz_store_make how, uint64_t user_block, vz_error *err)
{
    (void)path, (void)how, (void)user_block;
    vz_fail(err, VZ_UNSUPPORTED, "making a directory of LINDI's");
    return NULL;
}

static bool refuse_to_remove(const char *root, vz_error *err)
{
    (void)root;
    return vz_fail(err, VZ_READ_ONLY, "a directory of LINDI's can only be read");
}

const vz_store_kind vz_kerchunk_lindi_kind = {
    .name = "lindi",
    .title = "directory of LINDI's",
    .recognise = recognise,
    .open = open_in_earnest,
    .create = create,
    .remove = refuse_to_remove,
    .is_within = is_within,
    .look_within = look_within,
};
