/* format.h - the Zarr formats, one row each. Code above this module uses the row and never asks for
 * the number of the format. A row is one file (format_v2.c, format_v3.c) and a line of the table in
 * format.c. */
#ifndef VZ_METADATA_FORMAT_H
#define VZ_METADATA_FORMAT_H

#include "metadata/metadata/metadata.h"

/* The kind of node that a document describes. */
typedef enum vz_meta_document_kind { VZ_SAYS_NEITHER, VZ_SAYS_ARRAY, VZ_SAYS_GROUP } vz_meta_document_kind;

typedef struct vz_zarr_format {
    int format; /* "zarr_format", and the option of that name */

    /* Names of documents. */
    const char *array, *group; /* of nodes. One name for both: `says` tells; else the name does */
    const char *attributes;    /* of attributes; NULL: they are the member VZ_ATTRIBUTES of the
                                * node's document */
    const char *consolidated;  /* consolidated metadata of a group; NULL: it is the member
                                * VZ_CONSOLIDATED of the group's document */

    const char *dimension_names; /* member of an array's document; NULL: they are an attribute */
    const char *fill_value;      /* member that xarray takes for the missing value; NULL: an
                                  * attribute is */
    const char *default_codec;   /* numcodecs' form of the compressor that zarr-python's writers
                                  * use */
    bool little_records;         /* structures have numbers of one byte order, which our own writers
                                  * make little */

    vz_meta_document_kind (*says)(const vz_json *document); /* NULL: the name tells */
    /* Reads an array's document. Errors name the key. VZ_CORRUPT is for what is missing, of a
     * wrong JSON type, negative, zero (chunks) or too large a number. VZ_UNSUPPORTED is for what
     * is not known here and cannot be passed over, VZ_LIMIT for numbers beyond VZ_MAX_RANK and
     * VZ_CHUNK_MAX_SIZE. Codecs are not looked up; attributes are not looked at. */
    vz_meta *(*load)(const vz_json *document, vz_error *err);
    /* Reads what can be known of an array that `load` refused: its shape, and its chunks and
     * element type where these are understood. An unknown type becomes raw bytes of the size that
     * its name tells, or of 1 byte. There are no codecs and no fill value, so elements must not be
     * read with it. Errors as `load`: the shape cannot be known. */
    vz_meta *(*outline)(const vz_json *document, vz_error *err);
    /* Writes the model into `document`, which is edited in place. Members that it does not know
     * survive, and so does the text of values that did not change. Keys of a new document come in
     * zarr-python's order. VZ_UNSUPPORTED: the format has no words for something. */
    bool (*write)(const vz_meta *meta, vz_json *document, vz_error *err);
    /* Adds to the metadata that was asked for (codecs of HDF5's filters, keys "0.1") the members of
     * a new array of this format. Shards have about so many bytes of decoded data (0: no shards).
     * NULL: nothing to do. */
    bool (*adapt)(vz_meta *meta, uint64_t shard_size, vz_error *err);
    /* numcodecs' form of the codec that new arrays have in place of this one. NULL: any stays. */
    const char *(*codec_id)(const char *id);
    /* Is that the document of a group that can be read? */
    bool (*check_group)(const vz_json *document, vz_error *err);
    /* Adds what a group's document must say and does not. */
    bool (*write_group)(vz_json *document, vz_error *err);
    /* Can zarr-python 3 read the node that has this document? One array that it cannot read makes
     * it refuse the whole store when it comes from consolidated metadata. */
    bool (*readable)(const vz_json *document);
} vz_zarr_format;

#define VZ_ATTRIBUTES   "attributes"
#define VZ_CONSOLIDATED "consolidated_metadata"

#define VZ_FORMAT_DEFAULT 2 /* of new stores, and of what is in none */
/* All rows, in the order in which a place is looked at: as in zarr-python 3, the newer format
 * counts first. */
#define VZ_ZARR_FORMATS 2
extern const vz_zarr_format *const vz_zarr_formats[VZ_ZARR_FORMATS];
/* NULL: there is no such format. */
const vz_zarr_format *vz_zarr_format_of(int format);

/* Every name that a document of metadata has in any format, once each, those of nodes first; NULL
 * beyond the last. */
const char *vz_zarr_document_name(size_t index);
bool vz_zarr_is_document(const char *name);
/* Is it one that tells what a node is? */
bool vz_zarr_is_node_document(const char *name);
bool vz_zarr_is_group_document(const char *name);
bool vz_zarr_is_attributes_document(const char *name);
/* Can that document have consolidated metadata as a member (VZ_CONSOLIDATED)? */
bool vz_zarr_document_has_copy(const char *name);

/* attributes in the node's document */
static inline bool vz_zarr_format_in_one(const vz_zarr_format *zarr_format)
{
    return !zarr_format->attributes;
}

#endif
