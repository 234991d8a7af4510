/* kind_table.c - the table of kinds that was set. */
#include "store/store/kind_internal.h"

static const vz_store_kind *const no_kinds[] = {NULL};
static const vz_store_kind *const *known_kinds = no_kinds; /* of the process; set before anything
                                                            * reads it */

void vz_store_set_kinds(const vz_store_kind *const *kinds)
{
    known_kinds = kinds;
}

const vz_store_kind *const *vz_store_get_kinds(void)
{
    return known_kinds;
}
