/* opaque_time.c - numpy's datetime64 and timedelta64: for h5py opaque bytes with a tag. */
#include "command/sample/sample_internal.h"
#include <stdio.h>
#include <string.h>

/* "ns" of "NUMPY:<M8[ns]", h5py's tag of opaque bytes; kind: 'M' or 'm'. */
static bool take_tag(const char *tag, bool *is_big, char *kind, char unit[VZ_SAMPLE_DATE])
{
    char order = 0, end = 0;
    if (sscanf(tag, "NUMPY:%c%c8[%10[a-zA-Z0-9]%c", &order, kind, unit, &end) != 4 || end != ']')
        return false;
    *is_big = order == '>';
    return (order == '<' || order == '>') && (*kind == 'M' || *kind == 'm');
}

bool vz_sample_opaque_words(hid_t type, char text[VZ_SAMPLE_DATE])
{
    char kind = 0, unit[VZ_SAMPLE_DATE] = "";
    bool is_big = false;
    char *tag = H5Tget_class(type) == H5T_OPAQUE ? H5Tget_tag(type) : NULL;
    const bool is = tag && H5Tget_size(type) == sizeof(int64_t) && take_tag(tag, &is_big, &kind, unit);
    if (tag)
        H5free_memory(tag);
    return is && snprintf(text, VZ_SAMPLE_DATE, kind == 'M' ? "datetime64[%.20s]" : "timedelta64[%.20s]", unit) > 0;
}

bool vz_sample_opaque_time(hid_t type, const void *element, char text[VZ_SAMPLE_DATE])
{
    char kind = 0, unit[VZ_SAMPLE_DATE] = "";
    bool is_big = false;
    int64_t number;
    if (H5Tget_class(type) != H5T_OPAQUE || H5Tget_size(type) != sizeof number)
        return false;
    char *tag = H5Tget_tag(type);
    const bool is = tag && take_tag(tag, &is_big, &kind, unit);
    if (tag)
        H5free_memory(tag);
    if (!is)
        return false;
    uint64_t bits = 0;
    for (size_t i = 0; i < sizeof bits; i++)
        bits |= (uint64_t)((const unsigned char *)element)[is_big ? sizeof bits - 1 - i : i] << (8 * i);
    memcpy(&number, &bits, sizeof number);
    if (kind == 'M')
        return vz_sample_datetime(unit, number, text);
    if (number == INT64_MIN)
        return snprintf(text, VZ_SAMPLE_DATE, "NaT") > 0;
    return snprintf(text, VZ_SAMPLE_DATE, "%lld %s", (long long)number, unit) > 0;
}
