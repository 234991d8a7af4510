/* inside_attributes_support.h - a store on disk whose root gets attributes: for tests of how src/hdf5/attributes stores
 * those.
 */
#ifndef INSIDE_ATTRIBUTES_SUPPORT_H
#define INSIDE_ATTRIBUTES_SUPPORT_H

#include "hdf5/attributes/attributes.h"
#include "base/os/process.h"
#include "hierarchy/open/open.h"
#include "inside_support.h"
#include "remote/bucket/bucket.h"
#include <unistd.h>

#define TEXT "{\"str\":\"v\",\"pad\":\"null\",\"cs\":\"utf8\"}"
#define BOOL "{\"enum\":\"|i1\",\"m\":{\"FALSE\":0,\"TRUE\":1}}"

static char path[512];
static vz_hierarchy *hierarchy;
static vz_node *root;
static vz_error err;

static inline void ok(bool result)
{
    if (!result)
        fail_msg("%s", err.text);
}

static inline int open_store(void **state)
{
    (void)state;
    vz_options options;
    err = VZ_ERROR_NONE;
    vz_store_set_kinds(vz_bucket_all_kinds);
    const char *place = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/test_inside_attributes.%d.zarr", place ? place : P_tmpdir, (int)getpid());
    ok(vz_options_init(&options, vz_os_environment_all(), &err));
    ok(vz_open_hierarchy(path, VZ_CREATE_TRUNCATE, &options, &hierarchy, &root, &err));
    return 0;
}

static inline void reopen(void)
{
    vz_options options;
    ok(vz_options_init(&options, vz_os_environment_all(), &err));
    vz_node_unref(root);
    ok(vz_close_hierarchy(hierarchy, &err));
    ok(vz_open_hierarchy(path, VZ_OPEN_WRITE, &options, &hierarchy, &root, &err));
}

static inline int close_store(void **state)
{
    (void)state;
    err = VZ_ERROR_NONE;
    vz_node_unref(root);
    ok(vz_close_hierarchy(hierarchy, &err));
    ok(vz_delete_hierarchy(path, &err));
    return 0;
}

/* "null", "[]" (scalar), "[2,3]". */
static inline hid_t space_of(const char *dims, hsize_t *count)
{
    vz_json *json = parse_json(dims);
    const size_t rank = vz_json_length(json);
    hsize_t length[VZ_MAX_RANK];
    *count = vz_json_kind_of(json) != VZ_JSON_NULL;
    for (size_t d = 0; d < rank; d++) {
        assert_true(vz_json_get_uint64(vz_json_at(json, d), (uint64_t *)&length[d]));
        *count *= length[d];
    }
    hid_t space = vz_json_kind_of(json) == VZ_JSON_NULL ? H5Screate(H5S_NULL)
                  : rank                                ? H5Screate_simple((int)rank, length, NULL)
                                                        : H5Screate(H5S_SCALAR);
    vz_json_free(json);
    return space;
}

/* By name, for one operation. */
#define WITH(name, call)                                                                                               \
    do {                                                                                                               \
        vz_attribute attribute;                                                                                        \
        ok(vz_attribute_init(&attribute, root, name, &err));                                                           \
        ok(call);                                                                                                      \
        vz_attribute_clear(&attribute);                                                                                \
    } while (0)

static inline void write_value(const char *name, hid_t type, const void *data)
{
    WITH(name, vz_attribute_write(&attribute, type, data, NULL, &err));
}

static inline void read_value(const char *name, hid_t type, void *data)
{
    WITH(name, vz_attribute_read(&attribute, type, data, H5P_DATASET_XFER_DEFAULT, NULL, &err));
}

static inline void expect_seen(const char *name, const char *type, const char *dims)
{
    hid_t seen, space;
    hsize_t count;
    WITH(name, vz_attribute_type(&attribute, &seen, &err));
    vz_json *note = vz_short_form_print(seen, &err);
    expect_json(note, type);
    vz_json_free(note);
    H5Tclose(seen);
    WITH(name, vz_attribute_space(&attribute, &space, &err));
    hid_t expected = space_of(dims, &count);
    assert_true(H5Sextent_equal(space, expected) > 0);
    H5Sclose(expected);
    H5Sclose(space);
}

static inline const vz_json *entry(const char *name)
{
    return vz_json_get(vz_json_get(root->annotation, "a"), name);
}

static inline void reclaim(hid_t type, hid_t space, void *data)
{
    assert_true(H5Treclaim(type, space, H5P_DEFAULT, data) >= 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_store, close_store)

#endif
