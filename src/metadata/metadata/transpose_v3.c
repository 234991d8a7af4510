/* transpose_v3.c - the order of dimensions as v3's "transpose" has it, and what says the same of a
 * list of axes. */
#include "metadata/metadata/v3_internal.h"
#include <string.h>

/* Makes what stood at place order[i] stand at place i. */
static bool reorder(uint8_t *axes, unsigned count, const uint64_t *order, vz_error *err)
{
    uint8_t before[VZ_MAX_RANK + 1];
    bool seen[VZ_MAX_RANK + 1] = {false};
    memcpy(before, axes, count);
    for (unsigned i = 0; i < count; i++) {
        if (order[i] >= count || seen[order[i]])
            return vz_fail(err, VZ_CORRUPT, "codecs: \"order\" of transpose is no permutation");
        seen[order[i]] = true;
        axes[i] = before[order[i]];
    }
    return true;
}

bool vz_v3_transpose_parse(const vz_json *configuration, uint8_t *axes, unsigned count, vz_error *err)
{
    uint64_t order[VZ_MAX_RANK + 1];
    const vz_json *list = vz_json_get(configuration, "order");
    if (vz_json_is(list, "C"))
        return true;
    for (unsigned d = 0; d < count; d++)
        order[d] = count - 1 - d;
    return (vz_json_is(list, "F") || vz_v3_sizes(list, "order", count, 0, order, err)) &&
           reorder(axes, count, order, err);
}

bool vz_v3_transpose_append(vz_json *list, const uint8_t *above, const uint8_t *axes, unsigned count, vz_error *err)
{
    uint64_t order[VZ_MAX_RANK + 1];
    if (memcmp(above, axes, count) == 0)
        return true;
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < count; k++)
            if (above[k] == axes[i])
                order[i] = k;
    vz_json *configuration = vz_v3_object_of("order", vz_meta_print_sizes(order, count, err), err);
    return vz_json_append(list, configuration ? vz_v3_extension(VZ_V3_TRANSPOSE, configuration, true, err) : NULL, err);
}
