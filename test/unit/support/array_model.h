/* array_model.h - a random array, a model that holds every element of it and knows no chunks, and the memory of a user,
 * whose elements go either way. */
#ifndef ARRAY_MODEL_H
#define ARRAY_MODEL_H

#include "array_support.h"
#include "array/chunks/array_state.h"

#define SIDE 11

static uint64_t state_of_chance;

static uint64_t chance(uint64_t below)
{
    state_of_chance = state_of_chance * 6364136223846793005u + 1442695040888963407u;
    return below ? (state_of_chance >> 33) % below : 0;
}

static bool maybe(unsigned in)
{
    return chance(in) == 0;
}

typedef struct model {
    subject s;
    bool skip_fill;
    unsigned char *elements; /* C order over the shape */
    uint64_t count;
} model;

static const char *const dtypes[] = {"'|b1'",
                                     "'|i1'",
                                     "'<i2'",
                                     "'>i4'",
                                     "'<u8'",
                                     "'<f4'",
                                     "'>f8'",
                                     "'<f2'",
                                     "'|S3'",
                                     "'|V1000'",
                                     "[['a','<i2'],['b','>f8'],['c','|S2']]"};
enum { TYPE_LARGE = 9 }; /* makes chunks that are worth reading in part */
static const char *const codecs[] = {
    "'compressor':null",
    "'compressor':null",
    "'compressor':{'id':'zlib','level':1}",
    "'compressor':{'id':'blosc','cname':'lz4','clevel':5,'shuffle':1,'blocksize':0}",
    "'compressor':{'id':'zstd','level':1}",
    "'compressor':null,'filters':[{'id':'shuffle','elementsize':1}]",
    "'compressor':{'id':'gzip','level':1},'filters':[{'id':'fletcher32'}]",
};

static uint64_t element_count(const vz_meta *meta)
{
    uint64_t count = 1;
    for (unsigned d = 0; d < meta->rank; d++)
        count *= meta->shape[d];
    return count;
}

/* From no chunk at all (one is kept all the same) to all of them. */
static void choose_cache(model *m)
{
    m->s.array->cache.budget = maybe(3) ? VZ_ARRAY_CACHE_DEFAULT : chance(6) * vz_cache_cost(&m->s.array->cache);
}

static void fill_model(model *m)
{
    const size_t size = m->s.meta->dtype->size;
    m->count = element_count(m->s.meta);
    m->elements = malloc(m->count * size + 1);
    assert_non_null(m->elements);
    for (uint64_t i = 0; i < m->count; i++)
        memcpy(m->elements + i * size, m->s.meta->fill, size);
}

static model make_model(void)
{
    char document[1024], shape[128] = "", chunks[128] = "";
    const size_t type = chance(sizeof dtypes / sizeof *dtypes);
    const unsigned rank = (unsigned)chance(type == TYPE_LARGE ? 4 : 5);
    for (unsigned d = 0; d < rank; d++) {
        snprintf(shape + strlen(shape), 24, "%s%u", d ? "," : "", (unsigned)(maybe(25) ? 0 : 1 + chance(SIDE)));
        snprintf(chunks + strlen(chunks), 24, "%s%u", d ? "," : "", (unsigned)(1 + chance(maybe(4) ? 2 * SIDE : 5)));
    }
    const char *fill = maybe(3) ? "null" : type < 8 && maybe(2) ? (type == 0 ? "true" : "7") : type < 8 ? "0" : "null";
    snprintf(document, sizeof document,
             "'shape':[%s],'chunks':[%s],'dtype':%s,'order':'%c','dimension_separator':'%c','fill_value':%s,%s", shape,
             chunks, dtypes[type], maybe(3) ? 'F' : 'C', maybe(2) ? '.' : '/', fill,
             codecs[chance(sizeof codecs / sizeof *codecs)]);
    model m = {.s = subject_of(document), .skip_fill = maybe(2)};
    subject_reopen(&m.s, m.skip_fill);
    choose_cache(&m);
    fill_model(&m);
    return m;
}

static void reopen(model *m)
{
    vz_error err = VZ_ERROR_NONE;
    no_error(vz_array_flush(m->s.array, &err), &err);
    subject_reopen(&m->s, m->skip_fill);
    choose_cache(m);
}

/* ---- memory side ---- */

typedef struct user_memory {
    unsigned char *bytes, *before;
    size_t size, element;
    bool *wanted; /* by element */
    uint64_t count;
} user_memory;

static user_memory make_memory(uint64_t count, size_t element)
{
    user_memory m = {.count = count, .element = element, .size = count * element};
    m.bytes = malloc(m.size + 1);
    m.before = malloc(m.size + 1);
    m.wanted = calloc(count + 1, sizeof *m.wanted);
    assert_true(m.bytes && m.before && m.wanted);
    for (size_t i = 0; i < m.size; i++)
        m.bytes[i] = (unsigned char)(maybe(3) ? 0 : chance(256));
    memcpy(m.before, m.bytes, m.size);
    return m;
}

static void free_memory(user_memory *m)
{
    free(m->bytes);
    free(m->before);
    free(m->wanted);
}

/* ---- one element, either way ---- */

typedef struct way {
    bool reading;
    vz_number_conversion conversion;
    bool converts;
    size_t element;
} way;

static way make_way(const vz_meta *meta, bool reading)
{
    static const vz_number_format numbers[] = {
        {VZ_NUMBER_INT, 1, false},  {VZ_NUMBER_INT, 4, true},    {VZ_NUMBER_UINT, 2, false}, {VZ_NUMBER_INT, 8, false},
        {VZ_NUMBER_FLOAT, 4, true}, {VZ_NUMBER_FLOAT, 8, false}, {VZ_NUMBER_FLOAT, 2, false}};
    way w = {.reading = reading, .element = meta->dtype->size};
    if (!vz_dtype_is_number(meta->dtype) || maybe(2))
        return w;
    const vz_dtype *dtype = meta->dtype;
    const vz_number_format array = {dtype->kind == VZ_DTYPE_INT    ? VZ_NUMBER_INT
                                    : dtype->kind == VZ_DTYPE_UINT ? VZ_NUMBER_UINT
                                                                   : VZ_NUMBER_FLOAT,
                                    dtype->size, dtype->big_endian};
    const vz_number_format memory = numbers[chance(sizeof numbers / sizeof *numbers)];
    w.converts =
        reading ? vz_conversion_find(array, memory, &w.conversion) : vz_conversion_find(memory, array, &w.conversion);
    if (w.converts)
        w.element = memory.size;
    return w;
}

/* Applies the transfer of one element to the model: reads leave the expected bytes in `before`. */
static void apply(model *m, const way *w, user_memory *memory, uint64_t array, uint64_t at)
{
    const size_t size = m->s.meta->dtype->size;
    unsigned char *mine = m->elements + array * size;
    assert_true(at < memory->count && array < m->count);
    unsigned char *theirs = (w->reading ? memory->before : memory->bytes) + at * w->element;
    memory->wanted[at] = true;
    if (w->converts)
        w->conversion.run(&w->conversion, w->reading ? mine : theirs, 0, w->reading ? theirs : mine, 0, 1);
    else
        memcpy(w->reading ? theirs : mine, w->reading ? mine : theirs, size);
}

static vz_transfer make_transfer(const way *w, user_memory *memory)
{
    return (vz_transfer){
        .buffer = memory->bytes, .element_size = w->element, .conversion = w->converts ? &w->conversion : NULL};
}

static void run_transfer(model *m, const way *w, vz_transfer *transfer, user_memory *memory)
{
    vz_error err = VZ_ERROR_NONE;
    no_error(w->reading ? vz_array_read(m->s.array, transfer, &err) : vz_array_write(m->s.array, transfer, &err), &err);
    if (w->reading)
        assert_memory_equal(memory->bytes, memory->before, memory->size);
}

#endif
