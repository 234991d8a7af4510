/* fuzz_links.c - annotations of groups: links, further hard links, moves. The input is the annotation of the root, NUL,
 * that of a group in it, NUL, that of an array. Everything is listed and found again, then names come, go and are
 * moved. */
#include "fuzz.h"
#include "base/os/process.h"
#include "hierarchy/edit/edit_internal.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/open/open_internal.h"
#include "hierarchy/open/open.h"
#include "hierarchy/resolve/token.h"
#include "hierarchy/writeback/writeback.h"

#define LINKS_MAX 64

static void put(vz_store *store, const char *key, const void *text, size_t size)
{
    vz_error err = VZ_ERROR_NONE;
    FUZZ_REQUIRE(vz_store_put(store, key, (vz_bytes){text, size}, &err));
}

/* .zattrs whose _HDF5 is this text; false where it cannot be in a document. */
static bool put_annotation(vz_store *store, const char *key, const uint8_t *data, size_t size)
{
    vz_error err = VZ_ERROR_NONE;
    vz_buffer text = {0};
    vz_json *attributes = vz_json_object(&err), *value = vz_json_string((const char *)data, size, &err);
    const bool ok = attributes && value && vz_json_set(attributes, VZ_ANNOTATION, value, &err) &&
                    vz_json_print(attributes, 0, &text, &err);
    if (ok)
        put(store, key, text.data, text.size);
    vz_buffer_clear(&text);
    vz_json_free(attributes);
    return ok;
}

static void walk_node(vz_node *node)
{
    vz_error err = VZ_ERROR_NONE;
    unsigned names = 0;
    free(vz_node_path(node, &err));
    free(vz_path_first(node, &err));
    err = VZ_ERROR_NONE;
    fuzz_check_error(vz_node_name_count(node, &names, &err), &err);
}

static void walk_links(vz_node *group, vz_link_order order, unsigned depth)
{
    vz_error err = VZ_ERROR_NONE;
    uint64_t count = 0;
    if (!vz_group_count(group, &count, &err)) {
        fuzz_check_error(false, &err);
        return;
    }
    for (uint64_t i = 0; i < count && i < LINKS_MAX; i++) {
        err = VZ_ERROR_NONE;
        vz_link *link = vz_group_link_at(group, order, i, &err);
        FUZZ_REQUIRE(link && vz_group_find(group, link->name, &err) == link);
        if (link->kind != VZ_LINK_NODE && link->kind != VZ_LINK_ALIAS)
            continue;
        vz_node *node = vz_link_node(group, link, &err);
        fuzz_check_error(node != NULL, &err);
        if (!node)
            continue;
        walk_node(node);
        if (node->kind == VZ_NODE_GROUP && depth < 3)
            walk_links(node, order, depth + 1);
    }
}

static void change(vz_hierarchy *hierarchy)
{
    vz_error err = VZ_ERROR_NONE;
    vz_node *root = vz_hierarchy_root(hierarchy), *made = vz_group_new(hierarchy, true, &err);
    if (made) {
        vz_edit_link(made, root, "made", true, &err);
        err = VZ_ERROR_NONE;
        vz_edit_link(made, root, "again", true, &err);
        vz_node_unref(made);
    }
    err = VZ_ERROR_NONE;
    vz_edit_node_move(root, "g", root, "h", true, &err);
    err = VZ_ERROR_NONE;
    vz_edit_unlink(root, "d", &err);
    err = VZ_ERROR_NONE;
    vz_flush_store(hierarchy, false, &err);
    err = VZ_ERROR_NONE;
    vz_token_of_reference(hierarchy, "/g/x", 1, &err);
    err = VZ_ERROR_NONE;
    vz_token_of_stored(hierarchy, "1/d", &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char group[] = "{\"zarr_format\":2}";
    static const char array[] = "{\"zarr_format\":2,\"shape\":[2],\"chunks\":[2],\"dtype\":\"<i4\",\"order\":\"C\","
                                "\"fill_value\":0,\"filters\":null,\"compressor\":null}";
    static const char *const keys[] = {".zattrs", "g/.zattrs", "d/.zattrs"};
    vz_error err = VZ_ERROR_NONE;
    vz_options options;
    vz_store *store = vz_store_new_memory(&err);
    FUZZ_REQUIRE(store && vz_options_init(&options, vz_os_environment_all(), &err));
    put(store, ".zgroup", group, sizeof group - 1);
    put(store, "g/.zgroup", group, sizeof group - 1);
    put(store, "g/x/.zgroup", group, sizeof group - 1);
    put(store, "d/.zarray", array, sizeof array - 1);
    for (size_t i = 0; i < 3 && size > 0; i++) {
        const uint8_t *end = memchr(data, '\0', size);
        const size_t length = end ? (size_t)(end - data) : size;
        put_annotation(store, keys[i], data, length);
        data += length + (end != NULL);
        size -= length + (end != NULL);
    }
    vz_hierarchy *hierarchy = vz_open_hierarchy_over(store, "memory", &options, true, false, &err);
    fuzz_check_error(hierarchy != NULL, &err);
    if (!hierarchy)
        return 0;
    walk_links(vz_hierarchy_root(hierarchy), VZ_BY_NAME, 0);
    change(hierarchy);
    walk_links(vz_hierarchy_root(hierarchy), VZ_BY_CREATION, 0);
    vz_close_hierarchy(hierarchy, &err);
    return 0;
}
