/* compare_storage.c - how two datasets are stored: layout, chunks, filters, bytes. */
#include "command/convert/compare_internal.h"
#include "command/convert/copy_internal.h"
#include <string.h>

static const char *layout_word(hid_t dcpl)
{
    switch (H5Pget_layout(dcpl)) {
    case H5D_COMPACT:
        return "compact";
    case H5D_CONTIGUOUS:
        return "contiguous";
    case H5D_CHUNKED:
        return "chunked";
    case H5D_VIRTUAL:
        return "virtual";
    default:
        return "unknown";
    }
}

static bool words_layout(hid_t dcpl, vz_buffer *out, vz_error *err)
{
    hsize_t chunk[H5S_MAX_RANK];
    const int rank = H5Pget_layout(dcpl) == H5D_CHUNKED ? H5Pget_chunk(dcpl, H5S_MAX_RANK, chunk) : 0;
    bool ok = vz_words_printf(out, err, "%s", layout_word(dcpl));
    for (int i = 0; ok && i < rank; i++)
        ok = vz_words_printf(out, err, "%s%llu", i ? ", " : " (", (unsigned long long)chunk[i]);
    return ok && (rank <= 0 || vz_words_printf(out, err, ")"));
}

static bool words_filters(hid_t dcpl, vz_buffer *out, vz_error *err)
{
    const int count = H5Pget_nfilters(dcpl);
    bool ok = count > 0 || vz_words_printf(out, err, "none");
    for (int i = 0; ok && i < count; i++) {
        const vz_convert_filter filter = vz_convert_filter_at(dcpl, i);
        ok = vz_words_printf(out, err, "%s%s", i ? ", " : "", *filter.name ? filter.name : "filter");
        ok = ok && (*filter.name || vz_words_printf(out, err, " %d", (int)filter.id));
        for (size_t k = 0; ok && k < filter.count && k < VZ_FILTER_VALUES; k++)
            ok = vz_words_printf(out, err, "%s%u", k ? " " : "(", filter.values[k]);
        ok = ok && (filter.count == 0 || vz_words_printf(out, err, ")"));
    }
    return ok;
}

static bool differ(const vz_comparison *v, const char *what, vz_buffer text[2], vz_error *err)
{
    const char *a = (const char *)text[SOURCE].data, *b = (const char *)text[TARGET].data;
    const bool ok = strcmp(a, b) == 0 || vz_compare_differ_texts(v, VZ_DIFFERENCE_STORAGE, what, a, b, err);
    text[SOURCE].size = text[TARGET].size = 0;
    return ok;
}

bool vz_compare_storage(vz_comparison *v, const hid_t dataset[2], vz_error *err)
{
    const hid_t dcpl[2] = {H5Dget_create_plist(dataset[SOURCE]), H5Dget_create_plist(dataset[TARGET])};
    vz_buffer text[2] = {0};
    bool ok = (dcpl[SOURCE] >= 0 && dcpl[TARGET] >= 0) || vz_convert_h5_fail(err, "its properties cannot be had");
    ok = ok && words_layout(dcpl[SOURCE], &text[SOURCE], err) && words_layout(dcpl[TARGET], &text[TARGET], err) &&
         differ(v, "layout", text, err);
    ok = ok && words_filters(dcpl[SOURCE], &text[SOURCE], err) && words_filters(dcpl[TARGET], &text[TARGET], err) &&
         differ(v, "filters", text, err);
    for (int side = 0; ok && side < 2; side++)
        ok = vz_words_printf(&text[side], err, "%llu bytes", (unsigned long long)H5Dget_storage_size(dataset[side]));
    ok = ok && differ(v, "stored size", text, err);
    vz_buffer_clear(&text[SOURCE]);
    vz_buffer_clear(&text[TARGET]);
    vz_compare_close(dcpl);
    return ok;
}
