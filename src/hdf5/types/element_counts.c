/* element_counts.c - see types.h. */
#include "hdf5/types/types.h"

vz_counts vz_counted;
