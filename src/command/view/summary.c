/* summary.c - what a view has, as JSON. */
#include "base/util/json.h"
#include "command/view/view.h"
#include "hierarchy/documents/documents.h"
#include <stdio.h>

bool vz_view_print_json(const char *target, const char *source, const vz_convert_counts *all,
                        const vz_view_counts *counts, vz_error *err)
{
    const struct {
        const char *key;
        uint64_t value;
    } numbers[] = {{"groups", all->groups},         {"datasets", all->datasets},
                   {"attributes", all->attributes}, {"references", counts->references},
                   {"inlined", counts->inlined},    {"bytes", counts->bytes}};
    vz_buffer text = {0};
    vz_json *object = vz_json_object(err);
    bool ok = object && vz_json_set(object, "target", vz_text_json_of_path(target, err), err) &&
              vz_json_set(object, "source", vz_text_json_of_path(source, err), err);
    for (size_t i = 0; ok && i < sizeof numbers / sizeof *numbers; i++)
        ok = vz_json_set(object, numbers[i].key, vz_json_uint64(numbers[i].value, err), err);
    ok = ok && vz_json_print(object, 0, &text, err) && vz_buffer_append(&text, "", 1, err);
    if (ok)
        puts((const char *)text.data);
    vz_buffer_clear(&text);
    vz_json_free(object);
    return ok;
}
