/* counted.c - part of the plugin of test_worked_out_once.py: what src/hdf5/types/types.h counted. */
#include "hdf5/types/types.h"

__attribute__((visibility("default"))) const vz_type_counts *vz_counts_get(void);

const vz_type_counts *vz_counts_get(void)
{
    return &vz_type_counted;
}
