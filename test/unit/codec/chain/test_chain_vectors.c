/* test_chain_vectors.c - every vector that numcodecs made decodes to its chunk, whole and in ranges; what we encode
 * decodes again, and is the very same bytes where the form leaves no choice. */
#include "codec_vectors.h"
#include "base/os/thread.h"

static void check_items(const char *name, const vz_item *got, const vz_item *expected, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!got[i].data || got[i].size != expected[i].size ||
            (got[i].size && memcmp(got[i].data, expected[i].data, got[i].size) != 0))
            fail_msg("%s: item %zu differs", name, i);
    }
}

static void decode_items(const vector *v, const vz_chain *chain, vz_bytes stored)
{
    vz_error err = VZ_ERROR_NONE;
    vz_arena arena = {0};
    vz_item *items = calloc(v->count, sizeof *items);
    if (!vz_chain_decode_items(chain, stored, items, v->count, &arena, 0, &err))
        fail_with(v->name, &err);
    check_items(v->name, items, v->items, v->count);
    vz_arena_clear(&arena);
    free(items);
}

static void decode_chunk(const vector *v, const vz_chain *chain, vz_bytes stored)
{
    vz_error err = VZ_ERROR_NONE;
    uint8_t *chunk = malloc(v->raw.size); /* exactly as large, for the sanitizer to see */
    if (!vz_chain_decode(chain, stored, chunk, v->raw.size, 0, &err))
        fail_with(v->name, &err);
    if (memcmp(chunk, v->raw.data, v->raw.size) != 0)
        fail_msg("%s: decodes to something else", v->name);
    free(chunk);
}

static void decodes(const vector *v, const vz_chain *chain)
{
    const vz_bytes stored = {v->stored.data, v->stored.size};
    if (v->items)
        decode_items(v, chain, stored);
    else
        decode_chunk(v, chain, stored);
}

static void test_decode(void **state)
{
    (void)state;
    for_each_vector(decodes);
}

static void check_range(const vector *v, const vz_chain *chain, size_t offset, size_t size)
{
    vz_error err = VZ_ERROR_NONE;
    uint8_t *part = malloc(size ? size : 1);
    if (!vz_chain_decode_range(chain, (vz_bytes){v->stored.data, v->stored.size}, offset, size, part, 0, &err))
        fail_with(v->name, &err);
    if (memcmp(part, v->raw.data + offset, size) != 0)
        fail_msg("%s: bytes %zu to %zu differ", v->name, offset, offset + size);
    if (vz_chain_reads_range(chain)) {
        uint64_t bytes;
        memset(part, 0xAA, size);
        if (!read_range(chain, (vz_bytes){v->stored.data, v->stored.size}, offset, size, part, &bytes, &err))
            fail_with(v->name, &err);
        if (memcmp(part, v->raw.data + offset, size) != 0)
            fail_msg("%s: bytes %zu to %zu differ where parts are read", v->name, offset, offset + size);
    }
    free(part);
}

static void decodes_ranges(const vector *v, const vz_chain *chain)
{
    if (v->items)
        return;
    const size_t total = v->raw.size, element = v->element_size;
    check_range(v, chain, 0, total);
    check_range(v, chain, total, 0);
    check_range(v, chain, 0, element);
    check_range(v, chain, total - element, element);
    check_range(v, chain, total / element / 3 * element, total / element / 2 * element);
    check_range(v, chain, 1, total - 2); /* cuts elements at both ends */
    check_range(v, chain, total / 2, 1);
    vz_error err = VZ_ERROR_NONE;
    uint8_t byte;
    assert_false(vz_chain_decode_range(chain, (vz_bytes){v->stored.data, v->stored.size}, total, 1, &byte, 0, &err));
    assert_false(
        vz_chain_decode_range(chain, (vz_bytes){v->stored.data, v->stored.size}, UINT64_MAX, 2, &byte, 0, &err));
}

static void test_ranges(void **state)
{
    (void)state;
    for_each_vector(decodes_ranges);
}

static bool is_reading_only(const vector *v)
{
    int64_t format = 1;
    return vz_json_is(vz_json_get(v->compressor, "id"), "lzma") &&
           vz_json_get_int64(vz_json_get(v->compressor, "format"), &format) && format == 0;
}

static void encodes(const vector *v, const vz_chain *chain)
{
    if (is_reading_only(v))
        return;
    vz_error err = VZ_ERROR_NONE;
    vz_buffer out = {0};
    const bool ok = v->items ? vz_chain_encode_items(chain, v->items, v->count, &out, 0, &err)
                             : vz_chain_encode(chain, v->given.data, v->given.size, &out, 0, &err);
    if (!ok)
        fail_with(v->name, &err);
    if (v->exact && (out.size != v->stored.size || memcmp(out.data, v->stored.data, out.size) != 0))
        fail_msg("%s: encodes to something else than numcodecs", v->name);
    if (v->items)
        decode_items(v, chain, (vz_bytes){out.data, out.size});
    else
        decode_chunk(v, chain, (vz_bytes){out.data, out.size});
    vz_buffer_clear(&out);
}

static void test_encode(void **state)
{
    (void)state;
    for_each_vector(encodes);
}

/* The header of a Blosc buffer: 2 versions, flags, element size, 3 sizes. What shuffle and element size were chosen
 * must be as numcodecs chooses. */
static void blosc_header(const vector *v, const vz_chain *chain)
{
    enum { SHUFFLED = 1 | 4, PLAIN_COPY = 2 };
    if (!vz_json_is(vz_json_get(v->compressor, "id"), "blosc") || v->items || strstr(v->name, "in filters"))
        return;
    vz_error err = VZ_ERROR_NONE;
    vz_buffer out = {0};
    assert_true(vz_chain_encode(chain, v->given.data, v->given.size, &out, 0, &err));
    const uint8_t *ours = out.data, *theirs = v->stored.data;
    if (ours[3] != theirs[3] || vz_bytes_load_le32(ours + 4) != vz_bytes_load_le32(theirs + 4))
        fail_msg("%s: element size %d for %d, %u bytes for %u", v->name, ours[3], theirs[3],
                 vz_bytes_load_le32(ours + 4), vz_bytes_load_le32(theirs + 4));
    if (!((ours[2] | theirs[2]) & PLAIN_COPY) && (ours[2] & SHUFFLED) != (theirs[2] & SHUFFLED))
        fail_msg("%s: flags %02x for %02x", v->name, ours[2], theirs[2]);
    vz_buffer_clear(&out);
}

static void test_blosc_header(void **state)
{
    (void)state;
    for_each_vector(blosc_header);
}

/* Workers decode the same vectors at once, each with its own contexts and scratch. */
typedef struct parallel {
    const vector *v;
    const vz_chain *chain;
} parallel;

static bool decode_task(void *context, size_t index, unsigned worker, vz_error *err)
{
    (void)index;
    const parallel *p = context;
    uint8_t *chunk = malloc(p->v->raw.size);
    const vz_bytes stored = {p->v->stored.data, p->v->stored.size};
    bool ok = vz_chain_decode(p->chain, stored, chunk, p->v->raw.size, worker, err);
    if (ok && memcmp(chunk, p->v->raw.data, p->v->raw.size) != 0)
        ok = vz_fail(err, VZ_INVALID, "differs");
    free(chunk);
    vz_buffer out = {0};
    ok = ok &&
         (is_reading_only(p->v) || vz_chain_encode(p->chain, p->v->given.data, p->v->given.size, &out, worker, err));
    vz_buffer_clear(&out);
    return ok;
}

static void decodes_in_parallel(const vector *v, const vz_chain *chain)
{
    if (v->items)
        return;
    vz_error err = VZ_ERROR_NONE;
    parallel p = {v, chain};
    if (!vz_pool_run(decode_task, &p, 8, &err))
        fail_with(v->name, &err);
}

static void test_parallel(void **state)
{
    (void)state;
    vz_pool_set_threads(4);
    for_each_vector(decodes_in_parallel);
    vz_pool_stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decode),       cmocka_unit_test(test_ranges),   cmocka_unit_test(test_encode),
        cmocka_unit_test(test_blosc_header), cmocka_unit_test(test_parallel),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    vz_pool_stop();
    return failed;
}
