/* fuzz_parquet.c - a directory of Parquet files with references, listed and read: the input is one of its files, or
 * its documents where it begins with a brace. The files that it names are not there. */
#include "fuzz.h"
#include "store/kerchunk/kerchunk.h"
#include "store/store/store.h"

#define ARRAY                                                                                                          \
    "{\"zarr_format\":2,\"shape\":[40,6],\"chunks\":[4,3],\"dtype\":\"|u1\",\"fill_value\":0,\"order\":\"C\","         \
    "\"filters\":null,\"compressor\":null,\"dimension_separator\":\"%s\"}"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const files[] = {"a/refs.0.parq", "a/refs.1.parq", "b/refs.0.parq"};
    const bool is_text = size > 0 && data[0] == '{';
    vz_error err = VZ_ERROR_NONE;
    vz_buffer documents = {0};
    char *inside = NULL;
    vz_store *below = vz_store_new_memory(NULL);
    FUZZ_REQUIRE(below && vz_buffer_printf(&documents, &err,
                                           "{\"metadata\":{\".zgroup\":{},\"a/.zarray\":" ARRAY ",\"b/.zarray\":" ARRAY
                                           "},\"record_size\":20}",
                                           ".", "/"));
    vz_store_put(below, ".zmetadata", is_text ? (vz_bytes){data, size} : (vz_bytes){documents.data, documents.size},
                 NULL);
    for (size_t i = 0; !is_text && i < sizeof files / sizeof *files; i++)
        vz_store_put(below, files[i], (vz_bytes){data, size}, NULL);
    bool is_it;
    vz_kerchunk_parquet_kind.is_within(below, &is_it, NULL);
    vz_store *store = vz_kerchunk_parquet_kind.look_within(below, "", NULL, &inside, &err);
    fuzz_check_error(store != NULL, &err);
    if (store)
        fuzz_read_all(store);
    vz_store_close(store);
    vz_buffer_clear(&documents);
    free(inside);
    return 0;
}
