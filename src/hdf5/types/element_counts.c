/* element_counts.c - the counts of work done. */
#include "hdf5/types/types.h"

vz_counts vz_counted;
