/* v2_internal.h - format 2: codecs, element types and fill values of ".zarray". */
#ifndef VZ_METADATA_V2_INTERNAL_H
#define VZ_METADATA_V2_INTERNAL_H

#include "codec/chain/chain.h"
#include "metadata/metadata/metadata.h"

/* -- Codecs v2 --
 * "filters" and "compressor" of ".zarray" (used by meta_v2.c only). */
/* Append the codecs that the document names. */
bool vz_meta_filters_parse_v2(vz_codecs *codecs, const vz_json *document, vz_error *err);
/* *is_referenced: what stands there says that chunks are references, and is no codec. */
bool vz_meta_compressor_parse_v2(vz_codecs *codecs, const vz_json *document, bool *is_referenced, vz_error *err);
/* How many of the codecs are filters; at most one is left, the compressor. `old`: the chain that
 * the document named until now, whose number of filters stays. NULL or another count: the last
 * codec is the compressor if it is one. */
size_t vz_meta_filter_count_v2(const vz_codecs *codecs, const vz_codecs *old, const vz_json *document);
/* The first `filters` codecs, and the compressor after them (null: none), for these members of the
 * document. The order in which it has the members of a codec stays. */
vz_json *vz_meta_filters_print_v2(const vz_codecs *codecs, size_t filters, const vz_json *document, vz_error *err);
vz_json *vz_meta_compressor_print_v2(const vz_codecs *codecs, size_t filters, const vz_json *document, vz_error *err);

/* -- Dtype v2 --
 * numpy's letters for element types, for the files of format 2. */
typedef struct vz_dtype_letter {
    char letter;
    vz_dtype_kind kind;
    uint32_t sizes; /* the sum of those that this letter can have; 0: any */
    size_t unit;    /* bytes per counted unit */
} vz_dtype_letter;

/* Those that a size follows; of times and objects dtype_v2.c knows. */
#define VZ_DTYPE_LETTERS 8
extern const vz_dtype_letter vz_dtype_letters[VZ_DTYPE_LETTERS];

/* -- Fill v2 --
 * Fill values of format 2. meta_v2.c uses them, and fill_v3.c for forms that both formats have. */
/* Sets meta's fill from the JSON value; meta->dtype is known. null = undefined. 0 means zero bytes
 * for every type, as numpy-made documents have it. */
bool vz_meta_fill_parse_v2(vz_meta *meta, const vz_json *value, vz_error *err);
vz_json *vz_meta_fill_print_v2(const vz_meta *meta, vz_error *err);

/* One element that is no object and no structure, into dtype->size zeroed bytes. */
bool vz_meta_fill_parse_element(const vz_dtype *dtype, const vz_json *value, uint8_t *bytes, vz_error *err);
/* Sets the fill of an array of objects. */
bool vz_meta_fill_parse_item(vz_meta *meta, const vz_json *value, vz_error *err);

/* One part of a complex number, `size` bytes, as the format writes reals. */
typedef bool (*vz_meta_fill_parse_part)(size_t size, bool big_endian, const vz_json *value, uint8_t *bytes,
                                        vz_error *err);
typedef vz_json *(*vz_meta_fill_print_part)(size_t size, bool big_endian, const uint8_t *bytes, vz_error *err);
/* [re, im], or a real alone. */
bool vz_meta_fill_parse_complex(const vz_dtype *dtype, const vz_json *value, uint8_t *bytes,
                                vz_meta_fill_parse_part parse, vz_error *err);
vz_json *vz_meta_fill_print_complex(const vz_dtype *dtype, const uint8_t *bytes, vz_meta_fill_print_part print,
                                    vz_error *err);

#endif
