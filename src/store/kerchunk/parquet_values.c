/* parquet_values.c - the values of a page: which rows have one, and plain values or numbers in a
 * dictionary. */
#include "store/kerchunk/parquet_internal.h"

enum { PLAIN = 0, PLAIN_DICTIONARY = 2, RLE_DICTIONARY = 8 };
#define WIDTH_MAX 24 /* bits of a number in a dictionary */

bool vz_parquet_damaged(const char *what, vz_error *err)
{
    return vz_fail(err, VZ_CORRUPT, "damaged data: %s", what);
}

/* ---- runs of small numbers: one repeated, or packed in bits ---- */

typedef struct runs {
    vz_bytes bytes;
    size_t at;
    unsigned width;
    uint64_t left; /* of this run */
    bool is_packed;
    uint64_t bit; /* of the next packed one, from `at` */
    uint32_t repeated;
} runs;

static bool next_run(runs *r)
{
    vz_parquet_thrift t = {.bytes = r->bytes, .at = r->at};
    uint64_t head = 0;
    for (unsigned shift = 0;; shift += 7) {
        if (t.at >= t.bytes.size || shift > 56)
            return false;
        const uint8_t byte = t.bytes.data[t.at++];
        head |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            break;
    }
    const size_t left = t.bytes.size - t.at, whole = (r->width + 7) / 8;
    r->at = t.at;
    r->bit = 0;
    r->is_packed = head & 1;
    r->left = head >> 1;
    if (r->is_packed)
        return r->left <= left && (r->left *= 8) > 0; /* groups of eight */
    if (whole > left || r->left == 0)
        return false;
    r->repeated = 0;
    for (size_t i = 0; i < whole; i++)
        r->repeated |= (uint32_t)r->bytes.data[r->at + i] << 8 * i;
    r->at += whole;
    return true;
}

static bool take_packed(runs *r, uint32_t *number)
{
    const uint64_t first = r->at + r->bit / 8, last = r->at + (r->bit + r->width - 1) / 8;
    uint64_t bits = 0;
    if (r->width > 0 && last >= r->bytes.size)
        return false;
    for (uint64_t i = first; r->width > 0 && i <= last; i++)
        bits |= (uint64_t)r->bytes.data[i] << 8 * (i - first);
    *number = (uint32_t)(bits >> r->bit % 8) & (((uint32_t)1 << r->width) - 1);
    r->bit += r->width;
    return true;
}

static bool take(runs *r, uint32_t *number)
{
    if (r->left == 0) {
        if (r->is_packed)
            r->at += (size_t)(r->bit / 8); /* a run ends at a byte */
        r->is_packed = false;
        if (!next_run(r))
            return false;
    }
    r->left--;
    *number = r->repeated;
    return !r->is_packed || take_packed(r, number);
}

/* ---- values ---- */

static bool plain_number(vz_bytes *bytes, int64_t type, int64_t *number)
{
    const size_t size = type == VZ_PARQUET_INT32 ? 4 : 8;
    if (bytes->size < size)
        return false;
    *number = size == 4 ? (int32_t)vz_bytes_load_le32(bytes->data) : (int64_t)vz_bytes_load_le64(bytes->data);
    *bytes = (vz_bytes){bytes->data + size, bytes->size - size};
    return true;
}

static bool plain_text(vz_bytes *bytes, vz_bytes *text)
{
    const uint32_t size = bytes->size < 4 ? 0 : vz_bytes_load_le32(bytes->data);
    if (bytes->size < 4 || size > bytes->size - 4)
        return false;
    *text = (vz_bytes){bytes->data + 4, size};
    *bytes = (vz_bytes){bytes->data + 4 + size, bytes->size - 4 - size};
    return true;
}

bool vz_parquet_read_dictionary(const vz_parquet_page *p, int64_t type, vz_arena *arena, vz_parquet_dictionary *d,
                                vz_error *err)
{
    vz_bytes bytes = p->content;
    const bool is_text = type == VZ_PARQUET_BYTES;
    d->count = 0;
    if ((uint64_t)p->values > bytes.size) /* a value has a byte at least */
        return vz_parquet_damaged("the count of a dictionary", err);
    const size_t count = (size_t)p->values;
    d->texts = is_text ? vz_arena_alloc(arena, count * sizeof *d->texts, err) : NULL;
    d->numbers = is_text ? NULL : vz_arena_alloc(arena, count * sizeof *d->numbers, err);
    if (!d->texts && !d->numbers)
        return false;
    for (; d->count < count; d->count++)
        if (!(is_text ? plain_text(&bytes, &d->texts[d->count]) : plain_number(&bytes, type, &d->numbers[d->count])))
            return vz_parquet_damaged("a dictionary", err);
    return true;
}

/* Where the values of a page come from. */
typedef struct source {
    bool by_number; /* in the dictionary, else plain */
    const vz_parquet_dictionary *words;
    runs numbers;
    vz_bytes plain;
} source;

static bool begin_values(const vz_parquet_page *p, vz_bytes bytes, const vz_parquet_dictionary *words, source *s,
                         vz_error *err)
{
    *s = (source){.words = words, .plain = bytes};
    if (p->encoding == PLAIN)
        return true;
    if (p->encoding != PLAIN_DICTIONARY && p->encoding != RLE_DICTIONARY)
        return vz_fail(err, VZ_UNSUPPORTED, "the encoding %lld of Parquet: plain (0) and dictionaries (2, 8) are known",
                       (long long)p->encoding);
    s->by_number = true;
    if (bytes.size == 0) /* no row has a value */
        return true;
    s->numbers = (runs){.bytes = bytes, .at = 1, .width = bytes.data[0]};
    return s->numbers.width <= WIDTH_MAX || vz_fail(err, VZ_LIMIT, "a dictionary of 2^%u values", s->numbers.width);
}

static bool take_value(source *s, vz_parquet_column *column)
{
    uint32_t number = 0;
    if (s->by_number && (!take(&s->numbers, &number) || number >= s->words->count))
        return false;
    if (column->type == VZ_PARQUET_BYTES) {
        vz_bytes *text = &column->texts[column->rows];
        if (!s->by_number)
            return plain_text(&s->plain, text);
        *text = s->words->texts[number];
        return true;
    }
    int64_t *value = &column->numbers[column->rows];
    if (!s->by_number)
        return plain_number(&s->plain, column->type, value);
    *value = s->words->numbers[number];
    return true;
}

/* Which rows have a value. Pages of version 1 have them in front of the values, with their size. */
static bool begin_levels(const vz_parquet_page *p, const vz_parquet_column *column, vz_bytes *values, runs *levels,
                         vz_error *err)
{
    *values = p->content;
    *levels = (runs){.bytes = p->levels, .width = 1};
    if (p->has_levels || !column->is_optional)
        return true;
    const uint32_t size = values->size < 4 ? 0 : vz_bytes_load_le32(values->data);
    if (values->size < 4 || size > values->size - 4)
        return vz_parquet_damaged("the levels of a page", err);
    levels->bytes = (vz_bytes){values->data + 4, size};
    *values = (vz_bytes){values->data + 4 + size, values->size - 4 - size};
    return true;
}

bool vz_parquet_read_values(const vz_parquet_page *p, const vz_parquet_dictionary *words, vz_parquet_column *column,
                            uint64_t end, vz_error *err)
{
    vz_bytes bytes;
    runs levels;
    source values;
    if ((uint64_t)p->values > end - column->rows)
        return vz_parquet_damaged("more values than rows", err);
    if (!begin_levels(p, column, &bytes, &levels, err) || !begin_values(p, bytes, words, &values, err))
        return false;
    for (int64_t i = 0; i < p->values; i++, column->rows++) {
        uint32_t level = 1;
        if (column->is_optional && !take(&levels, &level))
            return vz_parquet_damaged("the levels of a page", err);
        column->present[column->rows] = level;
        if (level && !take_value(&values, column))
            return vz_parquet_damaged("the values of a page", err);
    }
    return true;
}
