/* view.c - a view from its beginning to its end. */
#include "command/view/view_internal.h"
#include "store/store/kind.h"
#include <stdlib.h>

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), wanted = strlen(end);
    return length >= wanted && strcmp(text + length - wanted, end) == 0;
}

bool vz_view_find_form(const char *target, const char *container, vz_view_form *form, vz_error *err)
{
    const vz_store_creation wanted = {.kind = container};
    *form = container || !ends_with(target, ".json") ? VZ_VIEW_STORE
            : ends_with(target, ".lindi.json")       ? VZ_VIEW_LINDI
                                                     : VZ_VIEW_FILE;
    return *form != VZ_VIEW_STORE || vz_location_kind(target, &wanted, err);
}

bool vz_view_write(const vz_view_request *request, vz_view_counts *counts, vz_error *err)
{
    vz_view view = {.request = request,
                    .grids = vz_strmap_new(),
                    .skipped = vz_strmap_new(),
                    .codecs = vz_strmap_new(),
                    .listed = vz_strmap_new(),
                    .linked = vz_strmap_new(),
                    .out.file = -1};
    bool ok = (view.grids && view.skipped && view.codecs && view.listed && view.linked) || vz_fail_memory(err);
    ok = ok && vz_view_output_begin(&view.out, request, err) && vz_view_write_chunks(&view, err) &&
         (request->form == VZ_VIEW_LINDI ? vz_view_write_lindi(&view, err) : vz_view_write_store(&view, err));
    ok = vz_view_output_end(&view.out, ok, err);
    *counts = (vz_view_counts){view.out.references, view.out.inlined, view.out.bytes};
    vz_strmap_free(view.linked, NULL);
    vz_strmap_free(view.listed, NULL);
    vz_strmap_free(view.codecs, free);
    vz_strmap_free(view.skipped, NULL);
    vz_strmap_free(view.grids, free);
    return ok;
}
