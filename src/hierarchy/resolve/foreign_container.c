/* foreign_container.c - containers of other formats, found by their content, so that an error can
 * name them. They are not read. */
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/resolve/path_internal.h"
#include "store/store/store.h"

#define LOOK_MAX 4096 /* bytes of a document that are looked at */

typedef struct foreign {
    const char *key;   /* of a value in the root */
    const char *text;  /* that stands in its first bytes; NULL: any value will do */
    const char *title; /* with what to do */
} foreign;

static const foreign known[] = {
    {"attributes.json", "\"n5\"", "an N5 container, which is not read: tensorstore copies its arrays to Zarr"},
    {"attributes.json", "\"blockSize\"", "an N5 container, which is not read: tensorstore copies its arrays to Zarr"},
    {"__tiledb_group.tdb", NULL, "a TileDB group, which is not read"},
};

static bool has_text(vz_store *store, const foreign *f)
{
    vz_buffer bytes = {0};
    bool found = false;
    bool is_it = vz_store_get(store, f->key, VZ_WHOLE, &bytes, &found, NULL) && found;
    if (is_it && f->text)
        is_it = memmem(bytes.data, bytes.size < LOOK_MAX ? bytes.size : LOOK_MAX, f->text, strlen(f->text));
    vz_buffer_clear(&bytes);
    return is_it;
}

/* An array of TileDB is a directory with two others in it. */
static bool is_tiledb_array(vz_store *store)
{
    vz_store_key_kind schema = VZ_STORE_NOTHING, fragments = VZ_STORE_NOTHING;
    return vz_store_look(store, "__schema", &schema, NULL) && vz_store_look(store, "__fragments", &fragments, NULL) &&
           schema == VZ_STORE_PREFIX && fragments == VZ_STORE_PREFIX;
}

void vz_path_result_name_foreign(vz_path_result *found)
{
    vz_store *store = found->at.store;
    const char *title = is_tiledb_array(store) ? "a TileDB array, which is not read" : NULL;
    for (size_t i = 0; !title && i < sizeof known / sizeof *known; i++)
        if (has_text(store, &known[i]))
            title = known[i].title;
    if (!title)
        return;
    vz_error_set(&found->at.why, VZ_UNSUPPORTED, "%s", title);
    found->at.is_sure = true;
}
