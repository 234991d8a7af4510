/* counts.h - counted so that tests can demand that nothing is worked out twice. State of the module instance. */
#ifndef VZ_TYPES_COUNTS_H
#define VZ_TYPES_COUNTS_H

#include <stdint.h>

typedef struct vz_map_counts {
    uint64_t values; /* attribute values made from their JSON */
} vz_map_counts;

extern vz_map_counts vz_map_counted;

#endif
