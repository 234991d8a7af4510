/* objects.c - one chunk of an object codec of JSON values, there and back. */
#include "fuzz.h"
#include "../unit/support/codecs_json.h"

#define COUNT_SIZE 2

static bool open_chain(vz_chain *chain, const char *codec, const char *record_text, size_t count)
{
    vz_error err = VZ_ERROR_NONE;
    char text[64];
    const int length = snprintf(text, sizeof text, "[{\"id\":\"%s\"}]", codec);
    vz_json *filters = vz_json_parse(text, (size_t)length, &err);
    vz_json *record = record_text ? vz_json_parse(record_text, strlen(record_text), &err) : NULL;
    const vz_chain_chunk chunk = {
        .objects = true, .element_size = sizeof(vz_item), .element_count = count, .record = record};
    const bool ok = chain_open_json(chain, filters, NULL, &chunk, &err);
    vz_json_free(filters);
    vz_json_free(record);
    return ok;
}

/* Bytes in the form of an object become bytes, which may be text: they do not come back as they were. */
static bool holds_bytes(vz_item item)
{
    return memmem(item.data, (size_t)item.size, "__bytes__", 9) != NULL;
}

static void check_same(vz_item before, vz_item after)
{
    vz_error err = VZ_ERROR_NONE;
    vz_json *a = vz_json_parse((const char *)before.data, (size_t)before.size, &err);
    vz_json *b = vz_json_parse((const char *)after.data, (size_t)after.size, &err);
    FUZZ_REQUIRE(a && b);
    FUZZ_REQUIRE(holds_bytes(before) || vz_json_equal(a, b));
    vz_json_free(a);
    vz_json_free(b);
}

static void check_again(const vz_chain *chain, const vz_item *items, size_t count)
{
    vz_error err = VZ_ERROR_NONE;
    vz_buffer stored = {0};
    vz_arena arena = {0};
    vz_item *again = calloc(count + 1, sizeof *again);
    /* Some texts can be read and not be written: numbers of any size, keys with NULs, values one level too deep. */
    if (vz_chain_encode_items(chain, items, count, &stored, 0, &err)) {
        FUZZ_REQUIRE(vz_chain_decode_items(chain, (vz_bytes){stored.data, stored.size}, again, count, &arena, 0, &err));
        for (size_t i = 0; i < count; i++)
            check_same(items[i], again[i]);
    }
    vz_buffer_clear(&stored);
    vz_arena_clear(&arena);
    free(again);
}

void fuzz_objects(const char *codec, const char *record, const uint8_t *data, size_t size)
{
    vz_chain chain;
    if (size < COUNT_SIZE)
        return;
    const size_t count = data[0] | (size_t)data[1] << 8;
    FUZZ_REQUIRE(open_chain(&chain, codec, record, count));
    vz_error err = VZ_ERROR_NONE;
    vz_arena arena = {0};
    vz_item *items = calloc(count + 1, sizeof *items);
    const vz_bytes stored = {data + COUNT_SIZE, size - COUNT_SIZE};
    const bool ok = vz_chain_decode_items(&chain, stored, items, count, &arena, 0, &err);
    fuzz_check_error(ok, &err);
    if (ok)
        check_again(&chain, items, count);
    vz_arena_clear(&arena);
    free(items);
    vz_chain_clear(&chain);
}
