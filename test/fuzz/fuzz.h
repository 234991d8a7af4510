/* fuzz.h - what the targets share. A target is one file with LLVMFuzzerTestOneInput; what must not happen ends in
 * abort. */
#ifndef VZ_FUZZ_H
#define VZ_FUZZ_H

#include "codec/codec/codec.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_REQUIRE(condition)                                                                                        \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                            \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/* The input is the number of items (2 bytes, little-endian), then a payload of that object codec. What it decodes to
 * are JSON texts; encoded and decoded again they say the same. record: the rows' structure, or NULL. */
void fuzz_objects(const char *codec, const char *record, const uint8_t *data, size_t size);

/* Lists a store and reads each value in it, as deep as matters: all of it answers, or fails with a class and a text. */
struct vz_store;
void fuzz_read_all(struct vz_store *store);

/* A failure has a class and a text. */
static inline void fuzz_check_error(bool ok, const vz_error *err)
{
    FUZZ_REQUIRE(ok == (err->class == VZ_OK));
    FUZZ_REQUIRE(ok || (err->text[0] != '\0' && err->class != VZ_INVALID));
}

#endif
