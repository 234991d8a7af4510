/* fuzz_datasets.c - the whole annotation of an array, with its document. The input is .zarray, NUL, the text of _HDF5,
 * NUL, the other attributes (an object), NUL, the bytes of each chunk. All that HDF5 is told of the array is asked for,
 * its elements are read, its attributes read and written back. */
#include "fuzz_hdf5.h"
#include "base/os/process.h"
#include "hdf5/attributes/attributes.h"
#include "hdf5/annotation/annotation.h"
#include "hdf5/references/committed.h"
#include "hdf5/datasets/datasets.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/open/open_internal.h"
#include "hierarchy/open/open.h"
#include "hierarchy/writeback/writeback.h"

#define BYTES_MAX ((size_t)1 << 20) /* of elements that are read */

static bool put(vz_store *store, const char *key, vz_bytes bytes)
{
    vz_error err = VZ_ERROR_NONE;
    return vz_store_put(store, key, bytes, &err);
}

/* The next part of the input. */
static vz_bytes take(vz_bytes *rest)
{
    const uint8_t *end = rest->size ? memchr(rest->data, '\0', rest->size) : NULL;
    const vz_bytes part = {rest->data, end ? (size_t)(end - rest->data) : rest->size};
    rest->data += part.size + (end != NULL);
    rest->size -= part.size + (end != NULL);
    return part;
}

/* .zattrs: the other attributes, and _HDF5 with this text. False where that is no document. */
static bool put_attributes(vz_store *store, vz_bytes note, vz_bytes others)
{
    vz_error err = VZ_ERROR_NONE;
    vz_buffer text = {0};
    vz_json *document = vz_json_parse((const char *)others.data, others.size, &err);
    err = VZ_ERROR_NONE;
    if (!document || vz_json_kind_of(document) != VZ_JSON_OBJECT) {
        vz_json_free(document);
        document = vz_json_object(&err);
    }
    vz_json *value = vz_json_string((const char *)note.data, note.size, &err);
    const bool ok = document && value && vz_json_set(document, VZ_ANNOTATION, value, &err) &&
                    vz_json_print(document, 0, &text, &err) &&
                    put(store, "d/.zattrs", (vz_bytes){text.data, text.size});
    vz_buffer_clear(&text);
    vz_json_free(document);
    return ok;
}

static vz_store *make_store(vz_bytes input)
{
    static const uint8_t group[] = "{\"zarr_format\":2}";
    static const char *const chunks[] = {"d/0", "d/1", "d/0.0", "d/0.1", "d/0/0", "d/0.0.0"};
    vz_error err = VZ_ERROR_NONE;
    vz_store *store = vz_store_new_memory(&err);
    const vz_bytes document = take(&input), note = take(&input), others = take(&input);
    FUZZ_REQUIRE(store && put(store, ".zgroup", (vz_bytes){group, sizeof group - 1}));
    FUZZ_REQUIRE(put(store, "d/.zarray", document));
    put_attributes(store, note, others);
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++)
        FUZZ_REQUIRE(put(store, chunks[i], input));
    return store;
}

static void read_elements(vz_node *node, hid_t type, hid_t space)
{
    vz_error err = VZ_ERROR_NONE;
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    const size_t size = H5Tget_size(type);
    /* External files are not the fuzzer's to open. */
    if (count <= 0 || !size || (uint64_t)count > BYTES_MAX / size || vz_annotation_get(node, "ext") ||
        vz_annotation_get(node, "vds"))
        return;
    void *values = calloc((size_t)count, size);
    const vz_dataset_transfer what = {node, type, H5S_ALL, H5S_ALL, NULL, values};
    size_t failed;
    const bool ok = vz_datasets_read_list(&what, 1, H5P_DEFAULT, &failed, &err);
    fuzz_check_hdf5(ok, &err);
    if (ok)
        H5Treclaim(type, space, H5P_DEFAULT, values);
    free(values);
}

static bool count_chunk(void *context, const hsize_t *offset, hsize_t size, uint32_t mask)
{
    unsigned *count = context;
    (void)offset;
    (void)size;
    (void)mask;
    return ++*count < 100;
}

static void look(vz_node *node)
{
    vz_error err = VZ_ERROR_NONE;
    hsize_t size;
    H5D_space_status_t status;
    unsigned chunks = 0;
    const hid_t type = vz_dataset_type(node, &err);
    fuzz_check_hdf5(type >= 0, &err);
    const hid_t space = vz_dataset_space(node, &err);
    fuzz_check_hdf5(space >= 0, &err);
    const hid_t dcpl = vz_dataset_dcpl(node, &err);
    fuzz_check_hdf5(dcpl >= 0, &err);
    fuzz_check_hdf5(vz_dataset_storage_size(node, &size, &err), &err);
    fuzz_check_hdf5(vz_dataset_space_status(node, &status, &err), &err);
    fuzz_check_hdf5(vz_dataset_chunks(node, true, count_chunk, &chunks, &err), &err);
    char *comment = vz_comment(node, &err);
    fuzz_check_hdf5(comment != NULL, &err);
    free(comment);
    vz_committed_path(node, NULL);
    if (type >= 0 && space >= 0)
        read_elements(node, type, space);
    H5Pclose(dcpl);
    H5Sclose(space);
    H5Tclose(type);
}

static void rewrite_attribute(vz_attribute *attribute, hid_t type, hid_t space)
{
    vz_error err = VZ_ERROR_NONE;
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    const size_t size = H5Tget_size(type);
    if (count <= 0 || !size || (uint64_t)count > BYTES_MAX / size)
        return;
    void *values = calloc((size_t)count, size);
    bool ok = vz_attribute_read(attribute, type, values, H5P_DEFAULT, NULL, &err);
    fuzz_check_hdf5(ok, &err);
    if (ok) {
        fuzz_check_hdf5(vz_attribute_write(attribute, type, values, NULL, &err), &err);
        H5Treclaim(type, space, H5P_DEFAULT, values);
    }
    free(values);
}

static void look_at_attribute(vz_node *node, const char *name)
{
    vz_error err = VZ_ERROR_NONE;
    hid_t type = H5I_INVALID_HID, space = H5I_INVALID_HID;
    H5A_info_t info;
    vz_attribute attribute;
    fuzz_check_hdf5(vz_attribute_init(&attribute, node, name, &err), &err);
    bool ok = vz_attribute_type(&attribute, &type, &err);
    fuzz_check_hdf5(ok, &err);
    bool has_space = vz_attribute_space(&attribute, &space, &err);
    fuzz_check_hdf5(has_space, &err);
    fuzz_check_hdf5(vz_attribute_info(&attribute, &info, &err), &err);
    vz_committed_path(node, name);
    if (ok && has_space)
        rewrite_attribute(&attribute, type, space);
    if (has_space)
        H5Sclose(space);
    if (ok)
        H5Tclose(type);
    vz_attribute_clear(&attribute);
}

static void walk(vz_hierarchy *hierarchy)
{
    vz_error err = VZ_ERROR_NONE;
    vz_node *root = vz_hierarchy_root(hierarchy);
    vz_link *link = vz_group_find(root, "d", &err);
    vz_node *node = link ? vz_link_node(root, link, &err) : NULL;
    if (!node || node->kind != VZ_NODE_ARRAY)
        return;
    look(node);
    for (size_t i = 0; i < vz_attribute_count(node) && i < 20; i++) {
        char *name = strdup(vz_attribute_at(node, i) ?: "");
        look_at_attribute(node, name);
        free(name);
    }
    vz_flush_store(hierarchy, false, &err);
    look(node);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bind();
    vz_error err = VZ_ERROR_NONE;
    vz_options options;
    FUZZ_REQUIRE(vz_options_init(&options, vz_os_environment_all(), &err));
    vz_store *store = make_store((vz_bytes){data, size});
    vz_hierarchy *hierarchy = vz_open_hierarchy_over(store, "memory", &options, true, false, &err);
    fuzz_check_error(hierarchy != NULL, &err);
    if (!hierarchy)
        return 0;
    walk(hierarchy);
    vz_close_hierarchy(hierarchy, &err);
    H5Eclear2(H5E_DEFAULT);
    return 0;
}
