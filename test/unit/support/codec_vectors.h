/* codec_vectors.h - data/codec/vectors.json in memory: chains, chunks and what numcodecs stores for them. */
#ifndef CODEC_VECTORS_H
#define CODEC_VECTORS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "codecs_json.h"

typedef struct vector {
    const char *name;
    const vz_json *filters, *compressor;
    bool exact; /* our encoder must give the same bytes */
    size_t element_size, count;
    const vz_json *record; /* of objects that are rows, or NULL */
    bool has_shape;
    unsigned rank;
    uint64_t shape[4]; /* of objects that have one */
    vz_buffer raw;     /* the chunk; not for objects */
    vz_buffer given;   /* what to encode: the chunk, or (lossy) another that is stored like this */
    vz_item *items;    /* objects, or NULL */
    vz_buffer item_bytes;
    vz_buffer stored;
} vector;

static void fail_with(const char *name, const vz_error *err)
{
    char text[1200];
    fail_msg("%s: %s", name, vz_error_message(err, text, sizeof text));
}

static vz_json *vectors_load(void)
{
    vz_error err = VZ_ERROR_NONE;
    FILE *file = fopen(VZ_TEST_DATA "/codec/vectors.json", "rb");
    assert_non_null(file);
    vz_buffer text = {0};
    char block[4096];
    for (size_t got; (got = fread(block, 1, sizeof block, file)) > 0;)
        assert_true(vz_buffer_append(&text, block, got, &err));
    fclose(file);
    vz_json *document = vz_json_parse((const char *)text.data, text.size, &err);
    vz_buffer_clear(&text);
    if (!document)
        fail_with("vectors.json", &err);
    return document;
}

static void unbase64(const vz_json *value, vz_buffer *out)
{
    vz_error err = VZ_ERROR_NONE;
    size_t length;
    const char *text = vz_json_get_string(value, &length);
    assert_non_null(text);
    if (!vz_base64_decode(text, length, out, &err))
        fail_with(text, &err);
}

static void raw_range(vz_buffer *out, size_t count)
{
    vz_error err = VZ_ERROR_NONE;
    assert_true(vz_buffer_reserve(out, count * 4, &err));
    for (size_t i = 0; i < count; i++)
        vz_bytes_store_le32(out->data + i * 4, (uint32_t)i);
    out->size = count * 4;
}

static void raw_items(vector *v, const vz_json *list)
{
    v->count = vz_json_length(list);
    v->items = calloc(v->count, sizeof *v->items);
    for (size_t i = 0; i < v->count; i++) {
        const size_t at = v->item_bytes.size;
        unbase64(vz_json_at(list, i), &v->item_bytes);
        v->items[i].size = v->item_bytes.size - at;
    }
    for (size_t i = 0, at = 0; i < v->count; at += v->items[i++].size)
        v->items[i].data = v->item_bytes.data + at;
}

static void vector_read(const vz_json *document, size_t index, vector *v)
{
    const vz_json *row = vz_json_at(vz_json_get(document, "vectors"), index);
    const vz_json *raw = vz_json_get(vz_json_get(document, "raws"), vz_json_get_string(vz_json_get(row, "raw"), NULL));
    *v = (vector){.name = vz_json_get_string(vz_json_get(row, "name"), NULL)};
    v->filters = vz_json_get(row, "filters");
    v->compressor = vz_json_get(row, "compressor");
    assert_true(vz_json_get_bool(vz_json_get(row, "exact"), &v->exact));
    unbase64(vz_json_get(row, "stored"), &v->stored);
    v->record = vz_json_get(row, "record");
    v->has_shape = vz_json_get(row, "shape") != NULL;
    v->rank = (unsigned)vz_json_length(vz_json_get(row, "shape"));
    assert_true(v->rank <= 4);
    for (unsigned d = 0; d < v->rank; d++)
        assert_true(vz_json_get_uint64(vz_json_at(vz_json_get(row, "shape"), d), &v->shape[d]));
    uint64_t number;
    if (vz_json_get(raw, "items")) {
        v->element_size = sizeof(vz_item);
        raw_items(v, vz_json_get(raw, "items"));
        return;
    }
    assert_true(vz_json_get_uint64(vz_json_get(raw, "element_size"), &number));
    v->element_size = number;
    if (vz_json_get_uint64(vz_json_get(raw, "range"), &number))
        raw_range(&v->raw, number);
    else
        unbase64(vz_json_get(raw, "bytes"), &v->raw);
    v->count = v->raw.size / v->element_size;
    const char *given = vz_json_get_string(vz_json_get(row, "given"), NULL);
    if (given)
        unbase64(vz_json_get(vz_json_get(vz_json_get(document, "raws"), given), "bytes"), &v->given);
    else
        v->given = v->raw, v->given.borrowed = true;
}

static void vector_clear(vector *v)
{
    vz_buffer_clear(&v->given);
    vz_buffer_clear(&v->raw);
    vz_buffer_clear(&v->item_bytes);
    vz_buffer_clear(&v->stored);
    free(v->items);
}

static void vector_chain(const vector *v, vz_chain *chain)
{
    vz_error err = VZ_ERROR_NONE;
    const vz_chain_chunk chunk = {.objects = v->items != NULL,
                                  .element_size = v->element_size,
                                  .element_count = v->count,
                                  .rank = v->rank,
                                  .shape = v->has_shape ? v->shape : NULL,
                                  .record = v->record};
    if (!chain_open_json(chain, v->filters, v->compressor, &chunk, &err))
        fail_with(v->name, &err);
}

/* Calls `check` with each vector and its chain. */
static inline void for_each_vector(void (*check)(const vector *v, const vz_chain *chain))
{
    vz_json *document = vectors_load();
    const size_t count = vz_json_length(vz_json_get(document, "vectors"));
    assert_true(count > 200);
    for (size_t i = 0; i < count; i++) {
        vector v;
        vz_chain chain;
        vector_read(document, i, &v);
        vector_chain(&v, &chain);
        check(&v, &chain);
        vz_chain_clear(&chain);
        vector_clear(&v);
    }
    vz_json_free(document);
}

/* ---- a stored value of which parts are read ---- */

typedef struct read_parts {
    vz_bytes stored;
    uint64_t bytes; /* read so far */
} read_parts;

static inline bool read_part(void *context, uint64_t offset, size_t size, vz_buffer *out, vz_error *err)
{
    read_parts *parts = context;
    parts->bytes += size;
    if (offset > parts->stored.size || size > parts->stored.size - offset)
        return vz_fail(err, VZ_CORRUPT, "%zu bytes are too few", parts->stored.size);
    return vz_buffer_append(out, parts->stored.data + offset, size, err);
}

/* vz_chain_read_range of bytes in memory; *bytes is how many of them were read. */
static inline bool read_range(const vz_chain *chain, vz_bytes stored, uint64_t offset, uint64_t size, void *out,
                              uint64_t *bytes, vz_error *err)
{
    read_parts parts = {.stored = stored};
    const vz_stored of = {read_part, &parts};
    vz_buffer scratch = {0};
    const bool ok = vz_chain_read_range(chain, &of, offset, size, &scratch, out, err);
    vz_buffer_clear(&scratch);
    *bytes = parts.bytes;
    return ok;
}

#endif
