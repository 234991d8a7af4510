/* roots.c - documents in a store's root: they decide whether a program sees a store there. */
#include "command/sync/sync_internal.h"
#include "metadata/metadata/format.h"

/* In the order in which they are put: what makes it a store comes last, but for the first one,
 * whose place a marker has. */
const char *const vz_sync_root_names[VZ_SYNC_ROOTS] = {"zarr.json", ".zattrs", ".zmetadata", ".zarray", ".zgroup"};

int vz_sync_root_index(const char *key)
{
    for (int i = 0; i < VZ_SYNC_ROOTS; i++)
        if (strcmp(key, vz_sync_root_names[i]) == 0)
            return i;
    return -1;
}

bool vz_sync_is_document(const char *key)
{
    const char *slash = strrchr(key, '/');
    return vz_sync_root_index(slash ? slash + 1 : key) >= 0;
}

static bool read_root(vz_sync_roots *roots, int i, vz_sync_side *side, vz_error *err)
{
    vz_request request = {.op = VZ_REQUEST_GET, .key = vz_sync_root_names[i], .into = &roots->text[i]};
    vz_buffer scratch = {0};
    const bool ok = vz_request_do(side->store, &request, &scratch, err);
    roots->found[i] = ok && request.found;
    roots->version[i] = request.version;
    vz_buffer_clear(&scratch);
    return ok;
}

bool vz_sync_roots_read(vz_sync_roots *roots, vz_sync_side *side, vz_error *err)
{
    vz_sync_roots_clear(roots);
    for (int i = 0; i < VZ_SYNC_ROOTS; i++)
        if (!read_root(roots, i, side, err)) {
            vz_error_where(err, side->name, vz_sync_root_names[i]);
            return false;
        }
    return true;
}

bool vz_sync_roots_equal(const vz_sync_roots *a, const vz_sync_roots *b)
{
    for (int i = 0; i < VZ_SYNC_ROOTS; i++)
        if (a->found[i] != b->found[i] || a->text[i].size != b->text[i].size ||
            (a->text[i].size && memcmp(a->text[i].data, b->text[i].data, a->text[i].size) != 0))
            return false;
    return true;
}

void vz_sync_roots_clear(vz_sync_roots *roots)
{
    for (int i = 0; i < VZ_SYNC_ROOTS; i++)
        vz_buffer_clear(&roots->text[i]);
    *roots = (vz_sync_roots){0};
}
