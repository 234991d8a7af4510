/* array_support.h - arrays in a memory store for the tests of array I/O. */
#ifndef VZ_TEST_ARRAY_SUPPORT_H
#define VZ_TEST_ARRAY_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/os/thread.h"
#include "metadata/metadata/format_internal.h"
#include "array/array/array.h"

static inline void no_error(bool ok, const vz_error *err)
{
    char text[1200];
    if (!ok)
        fail_msg("%s", vz_error_message(err, text, sizeof text));
}

static inline vz_meta *meta_by(vz_meta *parse(const vz_json *json, vz_error *err), const char *document)
{
    vz_error err = VZ_ERROR_NONE;
    vz_json *json = vz_json_parse(document, strlen(document), &err);
    no_error(json != NULL, &err);
    vz_meta *meta = parse(json, &err);
    vz_json_free(json);
    no_error(meta != NULL, &err);
    return meta;
}

static inline vz_meta *meta_of(const char *document)
{
    return meta_by(vz_meta_parse_v2, document);
}

/* Documents are written with ' for ". */
static inline void set_quotes(char *document)
{
    for (char *p = document; *p; p++)
        if (*p == '\'')
            *p = '"';
}

/* text: a zarr.json with ' for ". */
static inline vz_meta *meta_of_v3(const char *text)
{
    char document[2048];
    assert_true(strlen(text) < sizeof document);
    strcpy(document, text);
    set_quotes(document);
    return meta_by(vz_meta_parse_v3, document);
}

typedef struct subject {
    vz_store *store;
    vz_meta *meta;
    vz_array *array;
} subject;

/* document: members of .zarray with ' for "; zarr_format and what is missing of order, filters, compressor, fill_value
 * is added. */
static inline subject subject_of(const char *document)
{
    char text[2048];
    vz_error err = VZ_ERROR_NONE;
    int length = snprintf(text, sizeof text, "{'zarr_format':2,%s%s%s%s%s}", document,
                          strstr(document, "'order'") ? "" : ",'order':'C'",
                          strstr(document, "'filters'") ? "" : ",'filters':null",
                          strstr(document, "'compressor'") ? "" : ",'compressor':null",
                          strstr(document, "'fill_value'") ? "" : ",'fill_value':0");
    assert_true(length > 0 && (size_t)length < sizeof text);
    set_quotes(text);
    subject s = {.meta = meta_of(text)};
    s.store = vz_store_new_memory(&err);
    no_error(s.store != NULL, &err);
    s.array = vz_array_open(s.store, s.meta, "a", false, &err);
    no_error(s.array != NULL, &err);
    return s;
}

static inline void subject_clear(subject *s)
{
    vz_array_close(s->array);
    vz_meta_free(s->meta);
    vz_store_close(s->store);
}

static inline void subject_reopen(subject *s, bool skip_fill)
{
    vz_error err = VZ_ERROR_NONE;
    vz_array_close(s->array);
    s->array = vz_array_open(s->store, s->meta, "a", skip_fill, &err);
    no_error(s->array != NULL, &err);
}

/* A block of the array, packed in C order in memory. */
static inline vz_region block_of(const vz_meta *meta, const uint64_t *start, const uint64_t *count)
{
    vz_region region = {.rank = meta->rank};
    uint64_t step = 1;
    for (unsigned d = meta->rank; d-- > 0;) {
        region.start[d] = start ? start[d] : 0;
        region.stride[d] = region.count[d] = 1;
        region.block[d] = count ? count[d] : meta->shape[d];
        region.memory_stride[d] = step;
        step *= region.block[d];
    }
    return region;
}

static inline vz_transfer plain_transfer(const vz_meta *meta, const vz_region *region, void *buffer)
{
    return (vz_transfer){.region = region, .buffer = buffer, .element_size = meta->dtype->size};
}

static inline void read_block(subject *s, const uint64_t *start, const uint64_t *count, void *buffer)
{
    vz_error err = VZ_ERROR_NONE;
    const vz_region region = block_of(s->meta, start, count);
    const vz_transfer transfer = plain_transfer(s->meta, &region, buffer);
    no_error(vz_array_read(s->array, &transfer, &err), &err);
}

static inline void write_block(subject *s, const uint64_t *start, const uint64_t *count, const void *buffer)
{
    vz_error err = VZ_ERROR_NONE;
    const vz_region region = block_of(s->meta, start, count);
    const vz_transfer transfer = plain_transfer(s->meta, &region, (void *)buffer);
    no_error(vz_array_write(s->array, &transfer, &err), &err);
}

static inline void flush(subject *s)
{
    vz_error err = VZ_ERROR_NONE;
    no_error(vz_array_flush(s->array, &err), &err);
}

#endif
