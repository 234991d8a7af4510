/* node_support.h - what the tests of the hierarchy share: JSON in single quotes, stores in memory and in a scratch
 * directory, and failing with the message of an error. */
#ifndef NODE_SUPPORT_H
#define NODE_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "hierarchy/edit/edit.h"
#include "base/os/process.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/open/open_internal.h"
#include "hierarchy/writeback/writeback.h"
#include "metadata/metadata/format_internal.h"

static inline void fail_with(const char *what, const vz_error *err)
{
    char text[1200];
    fail_msg("%s: %s", what, vz_error_message(err, text, sizeof text));
}

#define must(call)                                                                                                     \
    do {                                                                                                               \
        vz_error err = VZ_ERROR_NONE;                                                                                  \
        if (!(call))                                                                                                   \
            fail_with(#call, &err);                                                                                    \
    } while (0)

/* The call fails with this class, and its message holds this text. */
#define must_fail(call, cls, message)                                                                                  \
    do {                                                                                                               \
        vz_error err = VZ_ERROR_NONE;                                                                                  \
        if (call)                                                                                                      \
            fail_msg("%s: succeeded", #call);                                                                          \
        if (err.class != (cls) || !strstr(err.text, message))                                                          \
            fail_with(#call, &err);                                                                                    \
    } while (0)

/* Text with ' for ". */
static inline char *quoted(const char *text)
{
    char *copy = strdup(text);
    for (char *p = copy; *p; p++)
        if (*p == '\'')
            *p = '"';
    return copy;
}

static inline vz_json *json_of(const char *text)
{
    vz_error err = VZ_ERROR_NONE;
    char *copy = quoted(text);
    vz_json *value = vz_json_parse(copy, strlen(copy), &err);
    if (!value)
        fail_with(text, &err);
    free(copy);
    return value;
}

static inline void assert_json(const vz_json *value, const char *expected)
{
    vz_buffer text = {0};
    char *copy = quoted(expected);
    must(vz_json_print(value, 0, &text, &err) && vz_buffer_append(&text, "", 1, &err));
    assert_string_equal((char *)text.data, copy);
    vz_buffer_clear(&text);
    free(copy);
}

static inline vz_options default_options(void)
{
    vz_options options;
    must(vz_options_init(&options, vz_os_environment_all(), &err));
    return options;
}

static inline vz_hierarchy *over(vz_store *store, bool writable, bool create)
{
    const vz_options options = default_options();
    vz_hierarchy *hierarchy = NULL;
    must((hierarchy = vz_open_hierarchy_over(store, "memory", &options, writable, create, &err)));
    return hierarchy;
}

static inline void put_text(vz_store *store, const char *key, const char *text)
{
    char *copy = quoted(text);
    must(vz_store_put(store, key, (vz_bytes){(const uint8_t *)copy, strlen(copy)}, &err));
    free(copy);
}

/* The value's text, or NULL; caller frees. */
static inline char *get_text(vz_store *store, const char *key)
{
    vz_buffer text = {0};
    bool found;
    must(vz_store_get(store, key, VZ_WHOLE, &text, &found, &err) && vz_buffer_append(&text, "", 1, &err));
    if (!found)
        vz_buffer_clear(&text);
    return found ? (char *)text.data : NULL;
}

static inline void assert_text(vz_store *store, const char *key, const char *expected)
{
    char *text = get_text(store, key);
    char *copy = expected ? quoted(expected) : NULL;
    if (!text || !copy) {
        if (text || copy)
            fail_msg("%s: %s", key, text ? text : "is missing");
    } else {
        vz_json *a = json_of(text);
        assert_json(a, expected);
        vz_json_free(a);
    }
    free(text);
    free(copy);
}

static inline bool has_key(vz_store *store, const char *key)
{
    char *text = get_text(store, key);
    free(text);
    return text != NULL;
}

#define ARRAY_DOCUMENT                                                                                                 \
    "{'shape':[4],'chunks':[2],'dtype':'<i4','fill_value':0,'order':'C','filters':null,"                               \
    "'dimension_separator':'.','compressor':null,'zarr_format':2}"

static inline vz_meta *new_meta(void)
{
    vz_json *document = json_of(ARRAY_DOCUMENT);
    vz_meta *meta = NULL;
    must((meta = vz_meta_parse_v2(document, &err)));
    vz_json_free(document);
    return meta;
}

static inline vz_node *new_array(vz_hierarchy *hierarchy, vz_node *group, const char *name)
{
    vz_node *node = NULL;
    must((node = vz_node_new_array(hierarchy, new_meta(), &err)));
    if (group)
        must(vz_edit_link(node, group, name, false, &err));
    return node;
}

static inline vz_node *new_group(vz_hierarchy *hierarchy, vz_node *group, const char *name)
{
    vz_node *node = NULL;
    must((node = vz_group_new(hierarchy, false, &err)));
    if (group)
        must(vz_edit_link(node, group, name, false, &err));
    return node;
}

static inline vz_node *find(vz_node *group, const char *name)
{
    vz_link *link = NULL;
    vz_node *node = NULL;
    must((link = vz_group_find(group, name, &err)));
    must((node = vz_link_node(group, link, &err)));
    return node;
}

static inline bool exists(vz_node *group, const char *name)
{
    vz_error err = VZ_ERROR_NONE;
    return vz_group_find(group, name, &err) != NULL;
}

/* Elements 0..3 become base, base+1 ... */
static inline void write_elements(vz_node *array, int32_t base)
{
    int32_t values[4] = {base, base + 1, base + 2, base + 3};
    vz_region region = {.rank = 1, .stride = {1}, .count = {4}, .block = {1}, .memory_stride = {1}};
    vz_transfer transfer = {.region = &region, .buffer = values, .element_size = 4};
    must(vz_node_io(array, &err) && vz_array_write(array->io, &transfer, &err) && vz_flush_after_write(array, &err));
}

/* One element, so that it stays in the chunk cache. */
static inline void write_element(vz_node *array, uint64_t index, int32_t value)
{
    vz_region region = {.rank = 1, .start = {index}, .stride = {1}, .count = {1}, .block = {1}, .memory_stride = {1}};
    vz_transfer transfer = {.region = &region, .buffer = &value, .element_size = 4};
    must(vz_node_io(array, &err) && vz_array_write(array->io, &transfer, &err) && vz_flush_after_write(array, &err));
}

static inline int32_t read_element(vz_node *array, uint64_t index)
{
    int32_t value = -1;
    vz_region region = {.rank = 1, .start = {index}, .stride = {1}, .count = {1}, .block = {1}, .memory_stride = {1}};
    vz_transfer transfer = {.region = &region, .buffer = &value, .element_size = 4};
    must(vz_node_io(array, &err) && vz_array_read(array->io, &transfer, &err));
    return value;
}

/* A directory of its own for a test; removed by scratch_remove. */
static inline char *scratch_new(void)
{
    const char *base = getenv("TMPDIR");
    char *path = NULL;
    assert_true(asprintf(&path, "%s/vz-zarr-XXXXXX", base && *base ? base : P_tmpdir) > 0);
    assert_non_null(mkdtemp(path));
    return path;
}

static inline void scratch_remove(char *path)
{
    vz_store *store = NULL;
    must((store = vz_store_open_directory(path, true, &err)));
    must(vz_store_del_tree(store, "", &err));
    vz_store_close(store);
    rmdir(path);
    free(path);
}

/* Fixtures of tests whose state is the path of a scratch directory. */
static inline int scratch_set_up(void **state)
{
    *state = scratch_new();
    return 0;
}

static inline int scratch_tear_down(void **state)
{
    scratch_remove(*state);
    return 0;
}

static inline char *scratch_path(const char *scratch, const char *name)
{
    char *path = NULL;
    assert_true(asprintf(&path, "%s/%s", scratch, name) > 0);
    return path;
}

#endif
