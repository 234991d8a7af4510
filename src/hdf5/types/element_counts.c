/* element_counts.c - see element_counts.h. */
#include "hdf5/types/element_counts.h"

vz_counts vz_counted;
