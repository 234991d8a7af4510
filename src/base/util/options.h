/* options.h - the connector's options: one table makes the parser, the text form and the
 * documentation. Sources by precedence: property list (a struct), connector string
 * "key=value;key=value", environment VOL_ZARR_<KEY>. */
#ifndef VZ_UTIL_OPTIONS_H
#define VZ_UTIL_OPTIONS_H

#include "base/util/bytes.h"

typedef enum vz_option_dialect { VZ_DIALECT_AUTO, VZ_DIALECT_PLAIN, VZ_DIALECT_HDMF } vz_option_dialect;
typedef enum vz_option_references { VZ_REFERENCES_JSON2, VZ_REFERENCES_PICKLE } vz_option_references;
typedef enum vz_option_consolidated {
    VZ_CONSOLIDATED_AUTO,
    VZ_CONSOLIDATED_USE,
    VZ_CONSOLIDATED_IGNORE
} vz_option_consolidated;
typedef enum vz_option_container {
    VZ_CONTAINER_AUTO,
    VZ_CONTAINER_DIRECTORY,
    VZ_CONTAINER_ZIP,
    VZ_CONTAINER_FILE,
} vz_option_container;
typedef enum vz_option_doorways { VZ_DOORWAYS_BELOW, VZ_DOORWAYS_ANYWHERE } vz_option_doorways;
typedef enum vz_option_links { VZ_LINKS_LOCAL, VZ_LINKS_BELOW, VZ_LINKS_ANYWHERE } vz_option_links;
typedef enum vz_targets { VZ_TARGETS_NETWORK, VZ_TARGETS_BELOW, VZ_TARGETS_ANYWHERE } vz_targets;

/* Which addresses a remote store may be connected to (base/util/name_policy.h). */
typedef enum vz_option_hosts {
    VZ_HOSTS_ANY,          /* the user named the server */
    VZ_HOSTS_NOT_METADATA, /* all but the one where a cloud's machine asks for its credentials */
    VZ_HOSTS_PUBLIC,       /* no loopback, link-local or private address either */
} vz_option_hosts;
typedef enum vz_option_addressing {
    VZ_ADDRESSING_AUTO,
    VZ_ADDRESSING_PATH,
    VZ_ADDRESSING_VIRTUAL
} vz_option_addressing;
typedef enum vz_option_missing { VZ_MISSING_AUTO, VZ_MISSING_403, VZ_MISSING_404 } vz_option_missing;
/* Whether arrays with named dimensions are shown with dimension scales. */
typedef enum vz_option_netcdf { VZ_NETCDF_AUTO, VZ_NETCDF_NEVER, VZ_NETCDF_ALWAYS } vz_option_netcdf;
typedef enum vz_option_dims { VZ_DIMS_AUTO, VZ_DIMS_ALWAYS, VZ_DIMS_NEVER } vz_option_dims;

typedef struct vz_options {
    int64_t format; /* Zarr format of new stores: 2 or 3 */
    vz_option_dialect dialect;
    vz_option_references references; /* in the hdmf dialect of Zarr v2: codec of compounds with
                                      * references or text */
    vz_option_consolidated consolidated;
    vz_option_dims dims;
    vz_option_netcdf netcdf;
    char compress[64];             /* default compressor of new stores: "auto", "blosc" (lz4 level 5
                                    * shuffle), "zstd", "zlib", "none" */
    int64_t shards;                /* bytes of decoded data in one shard of new arrays of format 3;
                                    * 0: no shards */
    int64_t threads;               /* 0: what the machine allows */
    bool gateway;                  /* stand for native objects so that deprecated native-only calls
                                    * work */
    bool locking;                  /* flock on the root's metadata */
    bool lock_if_possible;         /* no option of its own: locking does without where the system
                                    * refuses */
    bool without_locks;            /* no option of its own: the program said that files are not
                                    * locked */
    bool follow_links;             /* changes go through symbolic links that lead out of the
                                    * store */
    bool sync;                     /* H5Fflush is durable (fsync) */
    bool write_through;            /* elements are in the store when the call that writes them
                                    * returns */
    bool skip_fill;                /* a chunk equal to the fill value is not stored */
    int64_t document_ratio;        /* times the size of a zip file that its documents may take */
    int64_t chunk_max;             /* bytes of a decoded chunk of which the array may fill next to
                                    * nothing */
    int64_t dirty_max;             /* bytes of unwritten state before it is written */
    vz_option_doorways doorways;   /* where redirect files may lead to */
    vz_option_links links;         /* where external links, virtual sources and external storage
                                    * may */
    vz_targets targets;            /* where the names in a reference file may */
    vz_option_hosts hosts;         /* no option of its own: which addresses this store may be asked
                                    * at */
    vz_option_container container; /* what a new store is: auto goes by its name, and by
                                    * user_block */
    uint64_t user_block;           /* no option of its own: bytes before a new store that the
                                    * program asks for */
    const char *create;            /* names created as Zarr, a list of shell patterns with kinds
                                    * (options.h); empty: all. Kept until the process ends */
    /* Remote stores. Texts are kept until the process ends; empty: what the settings of the
     * environment say. Keys and tokens are no options: what is here is printed, and handed on in
     * connector strings. */
    const char *endpoint; /* of s3://, gs:// and az:// */
    const char *region;
    const char *profile;
    const char *account; /* of az:// */
    bool anonymous;
    bool requester_pays;
    vz_option_addressing addressing;
    vz_option_missing missing;
    const char *ca_bundle; /* path of a file */
    int64_t connections;   /* to one server */
    int64_t timeout;       /* seconds without a byte */
    bool second_get;       /* where the answer to a GET is late */
} vz_options;

/* Defaults, then VOL_ZARR_<KEY> among the variables of the environment ("NAME=value" each, up to a
 * NULL; vz_os_environment_all). Options are usable in any case: a wrong value is left out, and then
 * the answer is false with err set. */
bool vz_options_init(vz_options *options, char *const *variables, vz_error *err);

/* Applies a connector string over `options`; unknown name or value: VZ_INVALID with a text that
 * lists the known options. */
bool vz_options_parse(vz_options *options, const char *text, vz_error *err);

/* Parses the options in a redirect file, which may come from anybody. VZ_PERMISSION for options
 * that a redirect file may not set. vz_reach_of (name_policy.h) then decides which credentials are
 * used. */
bool vz_options_parse_redirect(vz_options *options, const char *text, vz_error *err);

/* Is `name`, the last part of a path, taken by a pattern? Then *container is that pattern's
 * kind, if it has one. The first pattern counts; a list without any takes all names. */
bool vz_patterns_take(const char *patterns, const char *name, vz_option_container *container);

#endif
