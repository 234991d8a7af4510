/* counted.c - part of the plugin of test_worked_out_once.py: what src/types/counts.h counted. */
#include "types/counts.h"

__attribute__((visibility("default"))) const vz_map_counts *vz_counts(void);

const vz_map_counts *vz_counts(void)
{
    return &vz_map_counted;
}
