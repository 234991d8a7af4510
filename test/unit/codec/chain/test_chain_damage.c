/* test_chain_damage.c - cut and altered chunks: an error or (where no checksum tells) other data, never a crash, never
 * more bytes than the chunk has. Meant to be run under the sanitizers; every input lies in memory of exactly its size.
 */
#include "codec_vectors.h"
#include "base/os/thread.h"

/* Longer vectors are sampled; with VZ_ROUNDS=1 fewer are, and at more places. */
#define WHOLE_BELOW 200
#define SAMPLES     80
#define MORE        4

static size_t times(size_t number)
{
    return getenv("VZ_ROUNDS") ? MORE * number : number;
}

static bool decode(const vector *v, const vz_chain *chain, const uint8_t *data, size_t size, vz_error *err)
{
    uint8_t *exact = malloc(size ? size : 1);
    memcpy(exact, data, size);
    const vz_bytes stored = {exact, size};
    bool ok;
    if (v->items) {
        vz_arena arena = {0};
        vz_item *items = calloc(v->count, sizeof *items);
        ok = vz_chain_decode_items(chain, stored, items, v->count, &arena, 0, err);
        assert_true(arena.used < 1 << 20);
        vz_arena_clear(&arena);
        free(items);
    } else {
        uint8_t *chunk = malloc(v->raw.size);
        ok = vz_chain_decode(chain, stored, chunk, v->raw.size, 0, err);
        uint8_t part[8];
        vz_error ignored = VZ_ERROR_NONE;
        uint64_t bytes;
        if (v->raw.size > 64)
            vz_chain_decode_range(chain, stored, 40, sizeof part, part, 0, &ignored);
        if (v->raw.size > 64 && vz_chain_reads_range(chain))
            read_range(chain, stored, 40, sizeof part, part, &bytes, &ignored);
        free(chunk);
    }
    free(exact);
    return ok;
}

static void check_class(const vector *v, const vz_error *err)
{
    if (err->class != VZ_CORRUPT && err->class != VZ_UNSUPPORTED && err->class != VZ_LIMIT)
        fail_with(v->name, err);
    assert_true(err->text[0] != '\0');
}

static size_t step_for(const vector *v)
{
    const size_t slow = strncmp(v->name, "lzma", 4) == 0 ? 16 : 1; /* megabytes of dictionary for each try */
    const size_t step = v->stored.size < times(WHOLE_BELOW) ? 1 : v->stored.size / times(SAMPLES);
    return step > slow ? step : slow;
}

static void cut(const vector *v, const vz_chain *chain)
{
    if (strcmp(v->name, "gzip padded members") == 0) /* may lose its padding */
        return;
    for (size_t size = 0; size < v->stored.size; size += step_for(v)) {
        vz_error err = VZ_ERROR_NONE;
        if (decode(v, chain, v->stored.data, size, &err))
            fail_msg("%s: decodes from %zu of %zu bytes", v->name, size, v->stored.size);
        check_class(v, &err);
    }
}

static void test_cut(void **state)
{
    (void)state;
    for_each_vector(cut);
}

static void altered(const vector *v, const vz_chain *chain)
{
    static const uint8_t masks[] = {0x01, 0x80, 0xff};
    for (size_t at = 0; at < v->stored.size; at += step_for(v))
        for (size_t m = 0; m < sizeof masks; m++) {
            vz_error err = VZ_ERROR_NONE;
            v->stored.data[at] ^= masks[m];
            if (!decode(v, chain, v->stored.data, v->stored.size, &err))
                check_class(v, &err);
            v->stored.data[at] ^= masks[m];
        }
}

static void test_altered(void **state)
{
    (void)state;
    for_each_vector(altered);
}

/* Fields of 4 bytes (sizes, counts, offsets) overwritten with telling numbers, wherever they may be. */
static void numbers(const vector *v, const vz_chain *chain)
{
    static const uint32_t telling[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff0};
    const size_t end = v->stored.size < 64 ? v->stored.size : 64;
    for (size_t at = 0; at + 4 <= end; at++)
        for (size_t n = at % step_for(v); n < sizeof telling / sizeof *telling; n++) {
            uint8_t kept[4];
            vz_error err = VZ_ERROR_NONE;
            memcpy(kept, v->stored.data + at, 4);
            vz_bytes_store_le32(v->stored.data + at, telling[n]);
            if (!decode(v, chain, v->stored.data, v->stored.size, &err))
                check_class(v, &err);
            memcpy(v->stored.data + at, kept, 4);
        }
}

static void test_numbers(void **state)
{
    (void)state;
    for_each_vector(numbers);
}

static void extended(const vector *v, const vz_chain *chain)
{
    vz_error err = VZ_ERROR_NONE;
    vz_buffer longer = {0};
    assert_true(vz_buffer_append(&longer, v->stored.data, v->stored.size, &err));
    for (size_t i = 0; i < 40; i++)
        assert_true(vz_buffer_append(&longer, &(uint8_t){(uint8_t)(i * 37)}, 1, &err));
    if (!decode(v, chain, longer.data, longer.size, &err))
        check_class(v, &err);
    vz_buffer_clear(&longer);
}

static void test_extended(void **state)
{
    (void)state;
    for_each_vector(extended);
}

/* The chunk of another array under this one's chain: one element more or less than the data have. */
static void other_shape(const vector *v, const vz_chain *chain)
{
    (void)chain;
    for (int more = -1; more <= 1; more += 2) {
        vz_error err = VZ_ERROR_NONE;
        vz_chain other;
        vector changed = *v;
        changed.count += (size_t)more;
        changed.has_shape = false;
        changed.raw.size = changed.count * v->element_size;
        vector_chain(&changed, &other);
        if (decode(&changed, &other, v->stored.data, v->stored.size, &err))
            fail_msg("%s: decodes to %zu elements", v->name, changed.count);
        check_class(v, &err);
        vz_chain_clear(&other);
    }
}

static void test_other_shape(void **state)
{
    (void)state;
    for_each_vector(other_shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut),      cmocka_unit_test(test_altered),     cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_extended), cmocka_unit_test(test_other_shape),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    vz_pool_stop();
    return failed;
}
