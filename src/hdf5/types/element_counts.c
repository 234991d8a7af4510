/* element_counts.c - the counts of work done. */
#include "hdf5/types/types.h"

vz_type_counts vz_type_counted;
