/* named_value.c - see kind.h. */
#include "store/store/kind_internal.h"
#include <stdlib.h>

bool vz_named_value_find(const vz_named *named, vz_named_value *value, vz_error *err)
{
    const vz_store_kind *const *kinds = vz_store_get_kinds();
    bool is_it = false;
    *value = (vz_named_value){0};
    for (size_t i = 0; kinds[i] && !is_it; i++) {
        if (kinds[i]->find_value && !kinds[i]->find_value(named, value, &is_it, err))
            return false;
        if (is_it)
            value->kind = kinds[i];
    }
    return is_it || vz_named_fail(named, err, "files of that kind are not read");
}

vz_store *vz_named_value_open(const vz_named_value *value, vz_error *err)
{
    return value->kind->open_values(value, err);
}

void vz_named_value_clear(vz_named_value *value)
{
    free(value->place);
    free(value->key);
    *value = (vz_named_value){0};
}
