/* netcdf_support.h - stores in memory whose arrays name their dimensions, and the dimension scales that follow. */
#ifndef NETCDF_SUPPORT_H
#define NETCDF_SUPPORT_H

#include "node_support.h"
#include "hierarchy/nodes/conventions.h"
#include "hdf5/dialects/zarr_link.h"
#include "hdf5/netcdf/netcdf.h"

static inline bool write_as_it_is(vz_hierarchy *hierarchy, vz_node *only, vz_error *err)
{
    (void)hierarchy, (void)only, (void)err;
    return true;
}

static const vz_conventions netcdf_conventions = {
    .before_writing = write_as_it_is,
    .read_links = vz_dialect_links_read,
    .links_attribute = vz_dialect_links_attribute,
    .complete = vz_netcdf_complete,
    .loaded = vz_netcdf_loaded,
};

static inline void put_group(vz_store *store, const char *key, const char *attributes)
{
    char text[1024];
    snprintf(text, sizeof text, "{'zarr_format':3,'node_type':'group','attributes':%s}", attributes);
    put_text(store, key, text);
}

static inline void put_array(vz_store *store, const char *key, const char *shape, const char *names, const char *more)
{
    char text[2048];
    snprintf(text, sizeof text,
             "{'zarr_format':3,'node_type':'array','shape':%s,'data_type':'float32','chunk_grid':{'name':'regular',"
             "'configuration':{'chunk_shape':%s}},'chunk_key_encoding':{'name':'default'},'fill_value':0.0,"
             "'codecs':[{'name':'bytes','configuration':{'endian':'little'}}],'dimension_names':%s%s}",
             shape, shape, names, more);
    put_text(store, key, text);
}

static inline vz_store *store_new(void)
{
    vz_store *store = NULL;
    must((store = vz_store_new_memory(&err)));
    put_group(store, "zarr.json", "{}");
    return store;
}

static inline vz_hierarchy *opened(vz_store *store, bool writable)
{
    vz_hierarchy *hierarchy = over(store, writable, false);
    must(vz_hierarchy_set_conventions(hierarchy, &netcdf_conventions, &err));
    return hierarchy;
}

static inline void closed(vz_hierarchy *hierarchy)
{
    must(vz_close_hierarchy(hierarchy, &err));
}

/* A program asks for that attribute; NULL: for all. */
static inline void wanted(vz_node *node, const char *name)
{
    must(vz_netcdf_attributes_wanted(node, name, &err));
}

static inline const char *text_of(const vz_node *node, const char *name)
{
    return vz_json_get_string(vz_node_attribute(node, name), NULL);
}

/* The path of the scale of each axis, or "-", with a blank behind each. */
static inline void assert_scales(const vz_node *node, const char *expected)
{
    char found[256] = "";
    const vz_json *list = vz_json_get(vz_node_attribute(node, "DIMENSION_LIST"), "value");
    for (size_t axis = 0; axis < vz_json_length(list); axis++) {
        const vz_json *scales = vz_json_at(list, axis);
        assert_true(vz_json_length(scales) <= 1);
        const char *path = vz_json_get_string(vz_json_get(vz_json_at(scales, 0), "path"), NULL);
        strcat(strcat(found, path ? path : "-"), " ");
    }
    assert_string_equal(found, expected);
}

/* "PATH AXIS " of each user of a scale. */
static inline void assert_users(const vz_node *scale, const char *expected)
{
    char found[256] = "";
    const vz_json *list = vz_node_attribute(scale, "REFERENCE_LIST");
    for (size_t i = 0; i < vz_json_length(list); i++) {
        const vz_json *use = vz_json_at(list, i);
        uint64_t axis;
        assert_true(vz_json_get_uint64(vz_json_get(use, "dimension"), &axis));
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s %d ",
                 vz_json_get_string(vz_json_get(vz_json_get(use, "dataset"), "path"), NULL), (int)axis);
    }
    assert_string_equal(found, expected);
}

#endif
