/* counts.c - see counts.h. */
#include "hdf5/types/element_counts.h"

vz_counts vz_counted;
