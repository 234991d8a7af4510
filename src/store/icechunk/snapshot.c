/* snapshot.c - the groups and arrays of a snapshot, in an order in which all that lies below a
 * group follows it. */
#include "store/icechunk/icechunk_internal.h"
#include <stdio.h>
#include <stdlib.h>

static const vz_icechunk_flat_field snapshot_id = {"id", 0, VZ_ICECHUNK_ID_SIZE}, snapshot_nodes = {"nodes", 2, 4},
                                    node_id = {"id", 0, VZ_ICECHUNK_NODE_ID_SIZE}, node_path = {"path", 1, 1},
                                    node_document = {"user_data", 2, 1}, node_type = {"node_data_type", 3, 1},
                                    node_data = {"node_data", 4, 4}, array_shape = {"shape", 0, 16},
                                    array_manifests = {"manifests", 2, 4}, array_shape_v2 = {"shape_v2", 3, 4},
                                    part_id = {"object_id", 0, VZ_ICECHUNK_ID_SIZE}, part_extents = {"extents", 1, 8};

enum { ARRAY = 1, GROUP = 2 };

/* ---- order ---- */

/* A slash comes before all other bytes. */
static unsigned rank_of(uint8_t byte)
{
    return byte == '/' ? 0 : byte + 1u;
}

/* `behind`: all that lies below `b` counts as equal to it. */
static int compare_paths(vz_bytes a, vz_bytes b, bool behind)
{
    const size_t size = a.size < b.size ? a.size : b.size;
    for (size_t i = 0; i < size; i++)
        if (a.data[i] != b.data[i])
            return rank_of(a.data[i]) < rank_of(b.data[i]) ? -1 : 1;
    if (a.size <= b.size)
        return a.size == b.size ? 0 : -1;
    return behind && (b.size == 0 || a.data[b.size] == '/') ? 0 : 1;
}

static int compare_nodes(const void *a, const void *b)
{
    return compare_paths(((const vz_icechunk_node *)a)->path, ((const vz_icechunk_node *)b)->path, false);
}

size_t vz_icechunk_node_bound(const vz_icechunk_snapshot *snapshot, vz_bytes path, bool behind)
{
    size_t low = 0, high = snapshot->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = compare_paths(snapshot->nodes[middle].path, path, behind);
        if (order < 0 || (behind && order == 0))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const vz_icechunk_node *vz_icechunk_node_find(const vz_icechunk_snapshot *snapshot, vz_bytes path)
{
    const size_t at = vz_icechunk_node_bound(snapshot, path, false);
    const vz_icechunk_node *node = at < snapshot->count ? &snapshot->nodes[at] : NULL;
    return node && compare_paths(node->path, path, false) == 0 ? node : NULL;
}

/* ---- reading ---- */

/* "/a/b": a slash before each part, which is not empty, "." or "..". The root is "/". */
static bool is_path(vz_bytes path)
{
    if (path.size == 0 || path.data[0] != '/' || memchr(path.data, '\0', path.size) ||
        !vz_utf8_valid(path.data, path.size))
        return false;
    for (size_t at = 1; at < path.size;) {
        const uint8_t *slash = memchr(path.data + at, '/', path.size - at);
        const size_t size = slash ? (size_t)(slash - path.data) - at : path.size - at;
        const bool is_dots = path.data[at] == '.' && (size == 1 || (size == 2 && path.data[at + 1] == '.'));
        if (size == 0 || is_dots || (slash && at + size + 1 == path.size))
            return false;
        at += size + 1;
    }
    return true;
}

static bool read_node(vz_icechunk_flat *flat, const vz_icechunk_flat_table *table, vz_icechunk_node *node,
                      vz_error *err)
{
    const vz_bytes path = vz_icechunk_flat_bytes(flat, table, &node_path);
    node->document = vz_icechunk_flat_bytes(flat, table, &node_document);
    node->id = vz_icechunk_flat_struct(flat, table, &node_id);
    const uint64_t type = vz_icechunk_flat_number(flat, table, &node_type, 0);
    const vz_icechunk_flat_table data = vz_icechunk_flat_child(flat, table, &node_data);
    node->is_array = type == ARRAY;
    if (node->is_array) {
        const vz_icechunk_flat_vector shape = vz_icechunk_flat_items(flat, &data, &array_shape);
        const vz_icechunk_flat_vector shape_v2 = vz_icechunk_flat_items(flat, &data, &array_shape_v2);
        node->manifests = vz_icechunk_flat_items(flat, &data, &array_manifests);
        node->rank = shape_v2.at ? shape_v2.count : shape.count;
    }
    if (flat->wrong)
        return vz_icechunk_fail_flat(flat, err);
    if (!is_path(path))
        return vz_fail(err, VZ_CORRUPT, "damaged data: a node whose path is none");
    node->path = (vz_bytes){path.data + 1, path.size - 1};
    if (node->document.data && node->id && (node->is_array || type == GROUP))
        return true;
    return vz_fail(err, VZ_CORRUPT, "damaged data: the node \"%.*s\" is neither a group nor an array",
                   (int)(path.size < 100 ? path.size : 100), (const char *)path.data);
}

static bool check_order(vz_icechunk_snapshot *snapshot, vz_error *err)
{
    if (snapshot->count > 1)
        qsort(snapshot->nodes, snapshot->count, sizeof *snapshot->nodes, compare_nodes);
    for (size_t i = 1; i < snapshot->count; i++) {
        const vz_bytes path = snapshot->nodes[i].path;
        if (compare_nodes(&snapshot->nodes[i - 1], &snapshot->nodes[i]) == 0)
            return vz_fail(err, VZ_CORRUPT, "damaged data: two nodes with the path \"%.*s\"",
                           (int)(path.size < 100 ? path.size : 100), (const char *)path.data);
    }
    return true;
}

static bool read_nodes(vz_icechunk_flat *flat, const vz_icechunk_flat_table *root, vz_icechunk_snapshot *snapshot,
                       vz_error *err)
{
    const vz_icechunk_flat_vector nodes = vz_icechunk_flat_items(flat, root, &snapshot_nodes);
    if (flat->wrong)
        return vz_icechunk_fail_flat(flat, err);
    if (nodes.count > VZ_ICECHUNK_NODES_MAX)
        return vz_fail(err, VZ_LIMIT, "%u groups and arrays: %zu are read", nodes.count, VZ_ICECHUNK_NODES_MAX);
    snapshot->nodes = calloc((size_t)nodes.count + 1, sizeof *snapshot->nodes);
    if (!snapshot->nodes)
        return vz_fail_memory(err);
    for (snapshot->count = 0; snapshot->count < nodes.count; snapshot->count++) {
        const vz_icechunk_flat_table table = vz_icechunk_flat_item(flat, &nodes, (uint32_t)snapshot->count);
        if (!read_node(flat, &table, &snapshot->nodes[snapshot->count], err))
            return false;
    }
    return check_order(snapshot, err);
}

static bool read_content(const uint8_t *id, vz_icechunk_snapshot *snapshot, vz_error *err)
{
    vz_icechunk_flat flat = {.all = {snapshot->content.data, snapshot->content.size}};
    const vz_icechunk_flat_table root = vz_icechunk_flat_root(&flat);
    const uint8_t *own = vz_icechunk_flat_struct(&flat, &root, &snapshot_id);
    if (flat.wrong)
        return vz_icechunk_fail_flat(&flat, err);
    if (!own || memcmp(own, id, VZ_ICECHUNK_ID_SIZE) != 0)
        return vz_fail(err, VZ_CORRUPT, "damaged data: it is another snapshot");
    return read_nodes(&flat, &root, snapshot, err);
}

bool vz_icechunk_snapshot_read(vz_store *below, const uint8_t id[VZ_ICECHUNK_ID_SIZE], vz_icechunk_snapshot *snapshot,
                               vz_error *err)
{
    char key[16 + VZ_ICECHUNK_ID_LETTERS + 1] = "snapshots/";
    vz_error why = VZ_ERROR_NONE;
    *snapshot = (vz_icechunk_snapshot){0};
    vz_icechunk_id_print(id, key + strlen(key));
    if (!vz_icechunk_file_read(below, key, VZ_ICECHUNK_SNAPSHOT, &snapshot->content, &why)) {
        if (why.class == VZ_NOT_FOUND)
            return vz_fail(err, VZ_NOT_FOUND, "there is no snapshot %s: it expired, or never was", key + 10);
        return vz_fail(err, why.class, "%s", why.text);
    }
    return read_content(id, snapshot, &why) || vz_icechunk_fail_in(key, &why, err);
}

void vz_icechunk_snapshot_clear(vz_icechunk_snapshot *snapshot)
{
    vz_buffer_clear(&snapshot->content);
    free(snapshot->nodes);
    *snapshot = (vz_icechunk_snapshot){0};
}

bool vz_icechunk_part_read(vz_icechunk_flat *flat, const vz_icechunk_node *node, uint32_t index, vz_icechunk_part *part)
{
    const vz_icechunk_flat_table table = vz_icechunk_flat_item(flat, &node->manifests, index);
    *part = (vz_icechunk_part){.id = vz_icechunk_flat_struct(flat, &table, &part_id),
                               .extents = vz_icechunk_flat_items(flat, &table, &part_extents)};
    if (!part->id && !flat->wrong)
        flat->wrong = part_id.name;
    return !flat->wrong;
}
