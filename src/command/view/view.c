/* view.c - a view from its beginning to its end. */
#include "command/view/view_internal.h"
#include <stdlib.h>

bool vz_view_write(const vz_view_request *request, vz_view_counts *counts, vz_error *err)
{
    vz_view view = {.request = request, .grids = vz_strmap_new(), .skipped = vz_strmap_new(), .out.file = -1};
    bool ok = (view.grids && view.skipped) || vz_fail_memory(err);
    ok = ok && vz_view_output_begin(&view.out, request, err) && vz_view_write_chunks(&view, err) &&
         vz_view_write_store(&view, err);
    ok = vz_view_output_end(&view.out, ok, err);
    *counts = (vz_view_counts){view.out.references, view.out.inlined, view.out.written};
    vz_strmap_free(view.skipped, NULL);
    vz_strmap_free(view.grids, free);
    return ok;
}
