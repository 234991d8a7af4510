/* counts.c - see counts.h. */
#include "types/counts.h"

vz_map_counts vz_map_counted;
