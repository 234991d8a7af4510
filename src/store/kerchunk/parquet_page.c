/* parquet_page.c - pages of a column: their heads, and what is packed in them. Forms are those that
 * pandas writes, by fastparquet and by pyarrow. */
#include "store/kerchunk/parquet_internal.h"
#include <zstd.h>

enum { DATA_PAGE, INDEX_PAGE, DICTIONARY_PAGE, DATA_PAGE_V2 };
enum { UNCOMPRESSED = 0, ZSTD = 6 };

typedef struct head {
    int64_t type, unpacked_size, size;        /* size: packed */
    int64_t definition_size, repetition_size; /* of version 2, before what is packed */
    bool is_plain;                            /* of version 2: nothing is packed */
    vz_parquet_page page;
} head;

/* ---- heads ---- */

static void read_data_head(vz_parquet_thrift *t, head *p)
{
    vz_parquet_field field = {0};
    while (vz_parquet_next(t, &field))
        if (field.id == 1)
            p->page.values = vz_parquet_integer(t, &field);
        else if (field.id == 2)
            p->page.encoding = vz_parquet_integer(t, &field);
        else
            vz_parquet_skip(t, &field);
}

static void read_data_head_v2(vz_parquet_thrift *t, head *p)
{
    vz_parquet_field field = {0};
    while (vz_parquet_next(t, &field))
        switch (field.id) {
        case 1:
            p->page.values = vz_parquet_integer(t, &field);
            break;
        case 4:
            p->page.encoding = vz_parquet_integer(t, &field);
            break;
        case 5:
            p->definition_size = vz_parquet_integer(t, &field);
            break;
        case 6:
            p->repetition_size = vz_parquet_integer(t, &field);
            break;
        case 7:
            p->is_plain = !vz_parquet_integer(t, &field);
            break;
        default:
            vz_parquet_skip(t, &field);
        }
}

static bool read_head(vz_parquet_thrift *t, head *p, vz_error *err)
{
    vz_parquet_field field = {0};
    *p = (head){.type = -1, .page.values = -1};
    while (vz_parquet_next(t, &field))
        if (field.id == 1)
            p->type = vz_parquet_integer(t, &field);
        else if (field.id == 2)
            p->unpacked_size = vz_parquet_integer(t, &field);
        else if (field.id == 3)
            p->size = vz_parquet_integer(t, &field);
        else if ((field.id == 5 || field.id == 7) && vz_parquet_structure(t, &field))
            read_data_head(t, p);
        else if (field.id == 8 && vz_parquet_structure(t, &field))
            read_data_head_v2(t, p);
        else
            vz_parquet_skip(t, &field);
    const size_t left = t->bytes.size - t->at;
    if (t->wrong || p->size < 0 || (uint64_t)p->size > left || p->unpacked_size < 0 || p->page.values < 0 ||
        p->definition_size < 0 || p->repetition_size < 0)
        return vz_parquet_damaged("the head of a page", err);
    return true;
}

/* ---- what is packed ---- */

static bool unpack(vz_bytes packed, size_t size, int64_t codec, vz_arena *arena, vz_bytes *content, vz_error *err)
{
    *content = (vz_bytes){packed.data, size};
    if (codec == UNCOMPRESSED || size == 0)
        return packed.size == size || size == 0 || vz_parquet_damaged("the size of a page", err);
    if (codec != ZSTD)
        return vz_fail(err, VZ_UNSUPPORTED, "the compression %lld of Parquet: none and zstd (6) are known",
                       (long long)codec);
    uint8_t *room = vz_arena_alloc(arena, size, err);
    if (!room)
        return false;
    const size_t got = ZSTD_decompress(room, size, packed.data, packed.size);
    *content = (vz_bytes){room, size};
    return (!ZSTD_isError(got) && got == size) || vz_parquet_damaged("a page that does not unpack", err);
}

/* Pages of version 2 have their levels in front, unpacked. */
static bool unpack_page(head *p, vz_bytes bytes, int64_t codec, vz_arena *arena, uint64_t *unpacked, vz_error *err)
{
    uint64_t levels = 0;
    if (p->type == DATA_PAGE_V2) {
        if (!vz_add((uint64_t)p->definition_size, (uint64_t)p->repetition_size, &levels) || levels > bytes.size ||
            levels > (uint64_t)p->unpacked_size)
            return vz_parquet_damaged("the levels of a page", err);
        p->page.has_levels = true;
        p->page.levels = (vz_bytes){bytes.data + p->repetition_size, (size_t)p->definition_size};
    }
    const uint64_t size = (uint64_t)p->unpacked_size - levels;
    if (size > VZ_PARQUET_FILE_MAX - *unpacked)
        return vz_fail(err, VZ_LIMIT, "pages of more than %zu bytes", VZ_PARQUET_FILE_MAX);
    *unpacked += size;
    const vz_bytes packed = {bytes.data + levels, bytes.size - (size_t)levels};
    return unpack(packed, (size_t)size, p->is_plain ? UNCOMPRESSED : codec, arena, &p->page.content, err);
}

/* ---- all pages of a part ---- */

bool vz_parquet_read_part(vz_bytes file, const vz_parquet_part *part, vz_parquet_column *column, vz_arena *arena,
                          uint64_t *unpacked, vz_error *err)
{
    const int64_t at =
        part->dictionary_at > 0 && part->dictionary_at < part->data_at ? part->dictionary_at : part->data_at;
    vz_parquet_thrift t = {.bytes = file, .at = (size_t)at};
    vz_parquet_dictionary words = {0};
    const uint64_t end = column->rows + (uint64_t)part->values;
    if (at < 0 || (uint64_t)at > file.size)
        return vz_parquet_damaged("the place of a column", err);
    while (column->rows < end) {
        head p;
        if (!read_head(&t, &p, err))
            return false;
        const vz_bytes bytes = {file.data + t.at, (size_t)p.size};
        t.at += (size_t)p.size;
        if (p.type == INDEX_PAGE)
            continue;
        if (p.type != DATA_PAGE && p.type != DATA_PAGE_V2 && p.type != DICTIONARY_PAGE)
            return vz_fail(err, VZ_UNSUPPORTED, "a page of type %lld in Parquet", (long long)p.type);
        if (!unpack_page(&p, bytes, part->codec, arena, unpacked, err) ||
            !(p.type == DICTIONARY_PAGE ? vz_parquet_read_dictionary(&p.page, part->type, arena, &words, err)
                                        : vz_parquet_read_values(&p.page, &words, column, end, err)))
            return false;
    }
    return true;
}
