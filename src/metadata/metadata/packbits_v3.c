/* packbits_v3.c - format 3's codec "packbits", which makes bytes of numbers of few bits. The chain
 * learns what the numbers are. */
#include "metadata/metadata/metadata_internal.h"
#include "metadata/metadata/v3_internal.h"
#include <stdlib.h>
#include <string.h>

#define PACKBITS "packbits"

/* members that the chain needs beside those of the document */
#define BITS       "bits" /* of a component */
#define COMPONENTS "components"
#define SIGNED     "signed"

typedef struct numbers {
    unsigned bits, components;
    bool is_signed;
} numbers;

/* As numpy has the type behind filters: "<i4", "|b1". */
static bool of_text(const char *type, numbers *n)
{
    const char kind = *type ? type[1] : '\0';
    const unsigned long size = kind ? strtoul(type + 2, NULL, 10) : 0;
    if (!kind || !strchr("biuf", kind) || size == 0 || size > sizeof(uint64_t))
        return false;
    *n = (numbers){kind == 'b' ? 1 : 8 * (unsigned)size, 1, kind == 'i'};
    return true;
}

static bool of_dtype(const vz_dtype *dtype, numbers *n)
{
    const bool is_complex = dtype->kind == VZ_DTYPE_COMPLEX;
    switch (dtype->kind) {
    case VZ_DTYPE_BOOL:
        *n = (numbers){1, 1, false};
        return true;
    case VZ_DTYPE_NARROW:
        *n = (numbers){vz_narrow_form_of(dtype->narrow)->bits, 1,
                       vz_narrow_form_of(dtype->narrow)->special == VZ_NARROW_INTEGER &&
                           vz_narrow_form_of(dtype->narrow)->is_signed};
        return true;
    case VZ_DTYPE_INT:
    case VZ_DTYPE_DATETIME:
    case VZ_DTYPE_TIMEDELTA:
        *n = (numbers){8 * (unsigned)dtype->size, 1, true};
        return true;
    case VZ_DTYPE_UINT:
    case VZ_DTYPE_FLOAT:
    case VZ_DTYPE_COMPLEX:
        *n = (numbers){8 * (unsigned)dtype->size / (is_complex ? 2 : 1), is_complex ? 2 : 1, false};
        return true;
    default:
        return false;
    }
}

static bool find_numbers(const vz_json *data_type, const char *type, numbers *n, vz_error *err)
{
    const char *name = data_type ? vz_v3_name(data_type) : NULL;
    vz_error ignored = VZ_ERROR_NONE;
    vz_dtype *dtype = type ? NULL : data_type ? vz_dtype_parse_v3(data_type, false, &ignored) : NULL;
    const bool ok = type ? of_text(type, n) : dtype && of_dtype(dtype, n);
    vz_dtype_free(dtype);
    return ok ||
           vz_fail(err, VZ_UNSUPPORTED, "codecs: \"" PACKBITS "\" with the data type \"%.60s\"", name ? name : "?");
}

bool vz_v3_packbits_parse(vz_codecs *codecs, const vz_json *configuration, const vz_json *data_type, const char *type,
                          vz_error *err)
{
    static const char *const known[] = {"padding_encoding", "first_bit", "last_bit", NULL};
    numbers n;
    if (!find_numbers(data_type, type, &n, err) || !vz_v3_check_configuration(PACKBITS, configuration, known, err))
        return false;
    vz_json *own = configuration ? vz_json_copy(configuration, err) : vz_json_object(err);
    if (!own)
        return false;
    if (vz_json_set(own, BITS, vz_json_int64(n.bits, err), err) &&
        vz_json_set(own, COMPONENTS, vz_json_int64(n.components, err), err) &&
        vz_json_set(own, SIGNED, vz_json_bool(n.is_signed, err), err))
        return vz_codecs_append(codecs, VZ_V3_PACKED_BITS, own, err);
    vz_json_free(own);
    return false;
}

vz_json *vz_v3_packbits_print(const vz_codecs_spec *spec, vz_error *err)
{
    vz_json *configuration = vz_json_copy(spec->configuration, err);
    if (!configuration)
        return NULL;
    vz_json_remove(configuration, BITS);
    vz_json_remove(configuration, COMPONENTS);
    vz_json_remove(configuration, SIGNED);
    return vz_v3_extension(PACKBITS, configuration, false, err);
}
