/* element_counts.h - counted so that tests can demand that nothing is worked out twice. State of the module instance. */
#ifndef VZ_TYPES_ELEMENT_COUNTS_H
#define VZ_TYPES_ELEMENT_COUNTS_H

#include <stdint.h>

typedef struct vz_counts {
    uint64_t values;   /* attribute values made from their JSON */
    uint64_t plans;    /* how elements of a dataset and of a memory type become each other (element_plan.h) */
    uint64_t packings; /* steps between a dtype and a datatype, worked out */
    uint64_t moves;    /* plans of a read or write that were carried out: a batch each, of one dataset or several */
    uint64_t memory;   /* bytes that the last such plan may take beside the caller's buffers, as it knows them */
    uint64_t types;    /* HDF5 datatypes walked: read into a layout, or asked where variable-length data lies */
} vz_counts;

extern vz_counts vz_counted;

#endif
