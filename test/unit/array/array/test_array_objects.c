/* test_array_objects.c - arrays of text, byte strings and sequences, under random operations and against a model.
 */
#include "array_support.h"
#include "array/chunks/array_state.h"

enum { ROUNDS = 150, STEPS = 20, ROWS = 13, COLUMNS = 9, TEXT_MAX = 40 };

static uint64_t state_of_chance;

static uint64_t chance(uint64_t below)
{
    state_of_chance = state_of_chance * 6364136223846793005u + 1442695040888963407u;
    return (state_of_chance >> 33) % below;
}

typedef struct model {
    subject s;
    size_t unit; /* items are multiples of so many bytes */
    char text[ROWS * COLUMNS][TEXT_MAX];
    size_t size[ROWS * COLUMNS];
} model;

static const char *const kinds[] = {
    "'filters':[{'id':'vlen-utf8'}]",
    "'filters':[{'id':'vlen-bytes'}]",
    "'filters':[{'id':'vlen-array','dtype':'<i4'}]",
};
static const char *const compressors[] = {"null", "{'id':'zlib','level':1}",
                                          "{'id':'blosc','cname':'lz4','clevel':5,'shuffle':1}"};

static void make_model(model *m)
{
    char document[512];
    const size_t kind = chance(3);
    snprintf(document, sizeof document,
             "'shape':[%d,%d],'chunks':[%u,%u],'dtype':'|O','order':'%c','fill_value':%s,%s,'compressor':%s", ROWS,
             COLUMNS, (unsigned)(1 + chance(8)), (unsigned)(1 + chance(12)), chance(3) ? 'C' : 'F',
             kind == 0 && chance(2) ? "'leer'" : "null", kinds[kind], compressors[chance(3)]);
    memset(m, 0, sizeof *m);
    m->s = subject_of(document);
    m->unit = kind == 2 ? 4 : 1;
    m->s.array->cache.budget = chance(5) * vz_cache_cost(&m->s.array->cache);
    const vz_item *fill = (const vz_item *)m->s.meta->fill;
    for (size_t i = 0; i < ROWS * COLUMNS; i++) {
        m->size[i] = fill->size;
        if (fill->size)
            memcpy(m->text[i], fill->data, fill->size);
    }
}

typedef struct block {
    uint64_t start[2], count[2];
} block;

static block make_block(void)
{
    const uint64_t sides[2] = {ROWS, COLUMNS};
    block b;
    for (unsigned d = 0; d < 2; d++) {
        b.start[d] = chance(2) ? 0 : chance(sides[d]);
        b.count[d] = chance(3) ? 1 + chance(sides[d] - b.start[d]) : sides[d] - b.start[d];
    }
    return b;
}

static size_t index_in(const block *b, uint64_t i)
{
    return (b->start[0] + i / b->count[1]) * COLUMNS + b->start[1] + i % b->count[1];
}

/* The same elements as pointers to text, or to nothing. */
static void write_texts(model *m, const block *b, const vz_item *items)
{
    vz_error err = VZ_ERROR_NONE;
    char bytes[ROWS * COLUMNS][TEXT_MAX + 1];
    const char *texts[ROWS * COLUMNS];
    for (uint64_t i = 0; i < b->count[0] * b->count[1]; i++) {
        memcpy(bytes[i], items[i].data ? items[i].data : (const uint8_t *)"", items[i].size);
        bytes[i][items[i].size] = '\0';
        texts[i] = items[i].data ? bytes[i] : NULL;
    }
    const vz_region region = block_of(m->s.meta, b->start, b->count);
    const vz_transfer transfer = {.region = &region, .buffer = texts, .element_size = sizeof *texts, .texts = true};
    no_error(vz_array_write(m->s.array, &transfer, &err), &err);
    memset(bytes, '!', sizeof bytes); /* nobody may still point here */
}

static void step_write(model *m)
{
    const block b = make_block();
    const uint64_t count = b.count[0] * b.count[1];
    vz_item items[ROWS * COLUMNS];
    uint8_t bytes[ROWS * COLUMNS][TEXT_MAX];
    for (uint64_t i = 0; i < count; i++) {
        const size_t at = index_in(&b, i), size = chance(5) ? chance(TEXT_MAX / m->unit) * m->unit : 0;
        for (size_t k = 0; k < size; k++)
            bytes[i][k] = (uint8_t)('a' + chance(26));
        items[i] = (vz_item){size || chance(2) ? bytes[i] : NULL, size};
        memcpy(m->text[at], bytes[i], size);
        m->size[at] = size;
    }
    if (chance(2))
        write_texts(m, &b, items);
    else
        write_block(&m->s, b.start, b.count, items);
    memset(bytes, '!', sizeof bytes); /* nobody may still point here */
}

/* Reads texts, each of which is ours to free. */
static void check_texts(model *m, vz_transfer transfer, const size_t *at, size_t count)
{
    vz_error err = VZ_ERROR_NONE;
    char *texts[ROWS * COLUMNS];
    transfer.buffer = texts;
    transfer.element_size = sizeof *texts;
    transfer.texts = true;
    no_error(vz_array_read(m->s.array, &transfer, &err), &err);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(strlen(texts[i]), m->size[at[i]]);
        assert_memory_equal(texts[i], m->text[at[i]], m->size[at[i]]);
        free(texts[i]);
    }
}

static void check(model *m, const block *b)
{
    vz_error err = VZ_ERROR_NONE;
    vz_item items[ROWS * COLUMNS];
    vz_arena arena = {0};
    const vz_region region = block_of(m->s.meta, b->start, b->count);
    vz_transfer transfer = plain_transfer(m->s.meta, &region, items);
    size_t places[ROWS * COLUMNS];
    for (uint64_t i = 0; i < b->count[0] * b->count[1]; i++)
        places[i] = index_in(b, i);
    check_texts(m, transfer, places, b->count[0] * b->count[1]);
    memset(items, 0xee, sizeof items);
    transfer.arena = &arena;
    no_error(vz_array_read(m->s.array, &transfer, &err), &err);
    vz_array_drop_clean(m->s.array); /* the items must not lie in the cache */
    for (uint64_t i = 0; i < b->count[0] * b->count[1]; i++) {
        const size_t at = index_in(b, i);
        assert_int_equal(items[i].size, m->size[at]);
        if (items[i].size)
            assert_memory_equal(items[i].data, m->text[at], m->size[at]);
    }
    vz_arena_clear(&arena);
}

/* Rows in any order, as runs. */
typedef struct row_source {
    uint64_t rows[4];
    size_t count, given;
} row_source;

static bool give_rows(void *context, vz_point_run *runs, size_t max, size_t *count, vz_error *err)
{
    row_source *source = context;
    (void)max, (void)err;
    *count = source->given < source->count;
    if (*count)
        runs[0] = (vz_point_run){source->rows[source->given] * COLUMNS, source->given * COLUMNS, COLUMNS};
    source->given++;
    return true;
}

static void step_rows(model *m)
{
    vz_error err = VZ_ERROR_NONE;
    vz_item items[4 * COLUMNS];
    vz_arena arena = {0};
    row_source source = {.count = 1 + chance(4)};
    for (size_t i = 0; i < source.count; i++)
        source.rows[i] = chance(ROWS);
    const vz_transfer transfer = {.next_runs = give_rows,
                                  .runs_context = &source,
                                  .buffer = items,
                                  .element_size = sizeof *items,
                                  .arena = &arena};
    no_error(vz_array_read(m->s.array, &transfer, &err), &err);
    size_t places[4 * COLUMNS];
    for (size_t i = 0; i < source.count * COLUMNS; i++)
        places[i] = source.rows[i / COLUMNS] * COLUMNS + i % COLUMNS;
    source.given = 0;
    check_texts(m, transfer, places, source.count * COLUMNS);
    for (size_t i = 0; i < source.count * COLUMNS; i++) {
        const size_t at = source.rows[i / COLUMNS] * COLUMNS + i % COLUMNS;
        assert_int_equal(items[i].size, m->size[at]);
        if (items[i].size)
            assert_memory_equal(items[i].data, m->text[at], m->size[at]);
    }
    vz_arena_clear(&arena);
}

/* To fewer rows and back: what was cut off is fill. */
static void step_resize(model *m)
{
    vz_error err = VZ_ERROR_NONE;
    const uint64_t old[2] = {ROWS, COLUMNS}, rows = chance(ROWS);
    const vz_item *fill = (const vz_item *)m->s.meta->fill;
    m->s.meta->shape[0] = rows;
    no_error(vz_array_resized(m->s.array, old, &err), &err);
    const uint64_t small[2] = {rows, COLUMNS};
    m->s.meta->shape[0] = ROWS;
    no_error(vz_array_resized(m->s.array, small, &err), &err);
    for (size_t i = rows * COLUMNS; i < ROWS * COLUMNS; i++) {
        m->size[i] = fill->size;
        if (fill->size)
            memcpy(m->text[i], fill->data, fill->size);
    }
}

static void step(model *m)
{
    const block b = make_block();
    switch (chance(8)) {
    case 0:
        step_resize(m);
        break;
    case 1:
        flush(&m->s);
        break;
    case 2:
        step_rows(m);
        break;
    case 3:
    case 4:
        check(m, &b);
        break;
    default:
        step_write(m);
        break;
    }
}

static void test_random_operations(void **state)
{
    (void)state;
    const block all = {{0, 0}, {ROWS, COLUMNS}};
    for (unsigned round = 0; round < ROUNDS; round++) {
        model m;
        state_of_chance = round * 104729 + 3;
        vz_pool_set_threads(1 + round % 3);
        make_model(&m);
        for (unsigned i = 0; i < STEPS; i++)
            step(&m);
        check(&m, &all);
        flush(&m.s);
        subject_reopen(&m.s, false);
        check(&m, &all);
        subject_clear(&m.s);
    }
    vz_pool_stop();
}

/* Items rewritten over and over in a cached chunk: what they leave behind is given back. */
static void test_arena_stays_small(void **state)
{
    (void)state;
    subject s =
        subject_of("'shape':[100],'chunks':[100],'dtype':'|O','fill_value':null,'filters':[{'id':'vlen-bytes'}]");
    uint8_t bytes[1000];
    memset(bytes, 'x', sizeof bytes);
    for (unsigned i = 0; i < 20000; i++) {
        const uint64_t start[1] = {i % 99}, count[1] = {1};
        const vz_item item = {bytes, 1 + (i * 37) % sizeof bytes};
        write_block(&s, start, count, &item);
        assert_true(s.array->cache.bytes < 1000 * 1000);
    }
    assert_true(vz_array_dirty_bytes(s.array) > 0);
    flush(&s);
    assert_int_equal(vz_array_dirty_bytes(s.array), 0);
    subject_clear(&s);
}

/* Text with a NUL in it, which ends the read: what was made of others by then is told apart from what was not. */
static void test_text_with_nul(void **state)
{
    (void)state;
    subject s = subject_of("'shape':[3],'chunks':[1],'dtype':'|O','fill_value':'','filters':[{'id':'vlen-utf8'}]");
    const vz_item items[3] = {{(const uint8_t *)"one", 3}, {(const uint8_t *)"t\0o", 3}, {(const uint8_t *)"three", 5}};
    const vz_region region = block_of(s.meta, NULL, NULL);
    char *texts[3] = {NULL};
    const vz_transfer transfer = {.region = &region, .buffer = texts, .element_size = sizeof *texts, .texts = true};
    vz_error err = VZ_ERROR_NONE;
    write_block(&s, NULL, NULL, items);
    assert_false(vz_array_read(s.array, &transfer, &err));
    assert_int_equal(err.class, VZ_UNSUPPORTED);
    assert_null(texts[1]);
    free(texts[0]);
    free(texts[2]);
    subject_clear(&s);
}

static void test_refused(void **state)
{
    (void)state;
    subject s = subject_of("'shape':[4],'chunks':[4],'dtype':'|O','fill_value':null,'filters':[{'id':'vlen-utf8'}]");
    const vz_region region = block_of(s.meta, NULL, NULL);
    vz_item items[4] = {{0}};
    vz_error err = VZ_ERROR_NONE;
    vz_transfer transfer = plain_transfer(s.meta, &region, items);
    assert_false(vz_array_read(s.array, &transfer, &err)); /* no arena */
    assert_int_equal(err.class, VZ_INVALID);
    err = VZ_ERROR_NONE;
    transfer.element_size = 8;
    assert_false(vz_array_write(s.array, &transfer, &err));
    assert_int_equal(err.class, VZ_INVALID);
    const uint64_t chunk[1] = {0};
    vz_buffer out = {0};
    bool found;
    err = VZ_ERROR_NONE;
    assert_false(vz_array_get_chunk(s.array, chunk, VZ_CHUNK_DECODED, &out, &found, &err));
    assert_int_equal(err.class, VZ_UNSUPPORTED);
    subject_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_operations),
        cmocka_unit_test(test_arena_stays_small),
        cmocka_unit_test(test_text_with_nul),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
