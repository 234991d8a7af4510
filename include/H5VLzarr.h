/* H5VLzarr.h - for programs that name the connector themselves. Nothing here needs to be linked:
 * the plugin is found on HDF5_PLUGIN_PATH, and the functions below are static inline. */
#ifndef H5VLzarr_H
#define H5VLzarr_H

#include <hdf5.h>
#include <H5VLconnector_passthru.h>
#include <stdlib.h>
#include <string.h>

#define H5VL_ZARR_NAME "zarr"
/* From the range for unregistered use (256-511) until a value is registered. */
#define H5VL_ZARR_VALUE   ((H5VL_class_value_t)320)
#define H5VL_ZARR_VERSION 0

/* The connector's info object (H5Pset_vol's second argument): an option string
 * "key=value;key=value" as in HDF5_VOL_CONNECTOR="zarr key=value". HDF5 copies and frees it
 * through the connector. */
typedef struct H5VL_zarr_info_t {
    unsigned version;    /* H5VL_ZARR_INFO_VERSION */
    const char *options; /* may be NULL: defaults */
} H5VL_zarr_info_t;
#define H5VL_ZARR_INFO_VERSION 1

/* A property of H5Dget_create_plist's list. It is there only if the array's element type, codecs or
 * chunk grid are not understood. It is text of H5VL_ZARR_TEXT_SIZE bytes, NUL included, that says
 * why. The dataset's shape is right, its type is an opaque stand-in where it is not known, and its
 * elements can be neither read nor written. */
#define H5VL_ZARR_NOT_UNDERSTOOD "vol-zarr: not understood"

/* A property of a dataset's creation list, a hbool_t: every chunk of the dataset will be stored,
 * but not by this connector (h5zarr virtual). The connector then stores no chunk in the place of
 * those that it does not know. */
#define H5VL_ZARR_CHUNKS_ELSEWHERE "vol-zarr: chunks elsewhere"
#define H5VL_ZARR_TEXT_SIZE        512

/* A property of a dataset's creation list: the codec of a dataset without filters, in the place of
 * the store's. It is text of H5VL_ZARR_WORD_SIZE bytes, zeros included: "none", "zlib", "zstd" or
 * "blosc". */
#define H5VL_ZARR_COMPRESS  "vol-zarr: compress"
#define H5VL_ZARR_WORD_SIZE 16

/* Makes `fapl_id` open and create through the connector, with these options (NULL: defaults). A
 * wrong option is an error here, at once. Returns a negative value on failure. */
static inline herr_t H5Pset_fapl_zarr(hid_t fapl_id, const char *options)
{
    H5VL_zarr_info_t info = {H5VL_ZARR_INFO_VERSION, options};
    void *checked = NULL;
    herr_t status = -1;
    hid_t connector = H5VLregister_connector_by_name(H5VL_ZARR_NAME, H5P_DEFAULT);
    if (connector < 0)
        return -1;
    /* "!" asks the connector to refuse a wrong string now rather than at the first open. */
    if (options && *options) {
        size_t length = strlen(options);
        char *strict = (char *)malloc(length + 2);
        if (strict) {
            strict[0] = '!';
            memcpy(strict + 1, options, length + 1);
            if (H5VLconnector_str_to_info(strict, connector, &checked) >= 0 && checked)
                status = H5Pset_vol(fapl_id, connector, &info);
            if (checked)
                H5VLfree_connector_info(connector, checked);
            free(strict);
        }
    } else
        status = H5Pset_vol(fapl_id, connector, &info);
    H5VLclose(connector);
    return status;
}

#endif
