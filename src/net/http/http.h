/* http.h - requests over HTTP: the interface between the plugin and the module that makes them.
 *
 * The plugin has no TLS. At the first remote name it loads the module, VZ_NET_MODULE, from its own
 * directory. It calls dlopen (RTLD_NOW | RTLD_LOCAL) and dlsym of VZ_NET_ENTRY, and then that
 * function with VZ_NET_VERSION. Tests link the module's libraries and call its functions by name.
 *
 * A set takes any number of requests. Threads pull answered requests out of it, as from a batch of
 * store/store/request.h. One thread of the process makes all transfers. */
#ifndef VZ_HTTP_HTTP_H
#define VZ_HTTP_HTTP_H

#include "base/util/bytes.h"
#include "base/util/options.h"

/* Not called lib...: HDF5 loads every lib*.so of the directories in which it looks for plugins. */
#define VZ_NET_MODULE  "vol_zarr_net.so"
#define VZ_NET_ENTRY   "vz_net_functions_for"
#define VZ_NET_VERSION 6 /* of this header; raise it with every change */

#define VZ_NET_WHY_SIZE    240
#define VZ_NET_TEXT_MAX    65536 /* bytes kept of an answer that says why not */
#define VZ_NET_HEADERS_MAX 65536 /* bytes of an answer's header lines; more are refused */

typedef struct vz_net_set vz_net_set;
typedef struct vz_net_request vz_net_request;
typedef struct vz_net_signer vz_net_signer;

/* ---- signers: what makes a request somebody's ---- */

/* Header lines that a signer adds, "Name: value". */
typedef struct vz_net_headers vz_net_headers;

typedef enum vz_net_signed {
    VZ_NET_SIGNED, /* also where nothing had to be added: anonymous */
    VZ_NET_STALE,  /* there are no credentials, or they run out: `prepare` is called, and then this
                    * again */
    VZ_NET_UNSIGNABLE,
} vz_net_signed;

typedef struct vz_net_signer_class {
    /* Fetches what `sign` needs, if that is not there. Called by a thread that adds or pulls, never
     * by the one of the transfers: it may wait, and make requests of its own. It is for the signer
     * that many come at once. */
    bool (*prepare)(vz_net_signer *signer, vz_error *err);
    /* For every attempt anew, by the thread of the transfers: waits for nobody, and makes no
     * request. `out` receives what is added to the request's own headers; a line of its own stands
     * in the place of the request's of that name. */
    vz_net_signed (*sign)(vz_net_signer *signer, const vz_net_request *request, vz_net_headers *out, vz_error *err);
    /* Asked of answers 400, 401 and 403, by the thread of the transfers, once a request. true: the
     * credentials that signed the attempt, which began at that time (vz_net_now), no longer hold.
     * Then `prepare` is called, and it is sent once more, whether it is repeatable or not: the
     * server has not done it. NULL: never. */
    bool (*refused)(vz_net_signer *signer, const vz_net_request *request, int64_t begun_ms);
} vz_net_signer_class;

/* The head of every signer. Its owner keeps it until no request has it. */
struct vz_net_signer {
    const vz_net_signer_class *class;
};

/* Copies "name: value" into the list. */
bool vz_net_headers_add(vz_net_headers *headers, const char *name, const char *value, vz_error *err);

/* ---- a request ---- */

typedef enum vz_net_method { VZ_NET_GET, VZ_NET_HEAD, VZ_NET_PUT, VZ_NET_POST, VZ_NET_DELETE } vz_net_method;

/* Zero-initialised but for what is asked. All pointers are borrowed until it is answered. */
struct vz_net_request {
    vz_net_method method;
    const char *url;            /* whole and percent-encoded: it is sent as it stands. http or
                                 * https */
    const char *const *headers; /* "Name: value" */
    size_t header_count;
    vz_bytes body; /* PUT, POST */
    vz_net_signer *signer;
    vz_buffer *into;        /* receives the body of a 2xx answer, appended; NULL: it goes to
                             * `text` */
    uint64_t most;          /* bytes of that body; more are VZ_LIMIT, and no more are received. 0:
                             * there is no limit */
    uint64_t expected;      /* bytes that it is likely to have, if that is known: what is under way
                             * at once goes by it */
    bool repeatable;        /* may be sent again though it may have been done; GET and HEAD always
                             * may */
    bool twice;             /* GET: where its answer is later than the host's others, it is asked
                             * for once more meanwhile */
    bool follow;            /* GET, HEAD without a signer: redirections are followed, but never from
                             * https to http. They never lead to a loopback, link-local or private
                             * address, unless the first host had one, too */
    vz_option_hosts hosts;  /* which addresses may be connected to; of others it fails with
                             * VZ_PERMISSION */
    unsigned first_byte_ms; /* until the answer begins; 0: as the set has it */
    bool (*wants_again)(vz_net_request *request); /* asked of every answer, by the thread of the
                                                   * transfers. true: the server may answer
                                                   * otherwise a moment later, so the request is
                                                   * tried again (an error in a body with status
                                                   * 200). NULL: the status tells */
    void *owner;                                  /* these two are the caller's own */
    size_t tag;
    /* The answer. VZ_OK: there is one, whatever `status` says. VZ_TRANSIENT: none, or one of a
     * moment, and the request is not repeatable. VZ_IO: neither after all repetitions, or TLS or
     * the name of the host fails. VZ_LIMIT: see `most`, or what a borrowed `into` holds;
     * VZ_CORRUPT: the answer contradicts itself. After a failure `into` is as it was. */
    vz_error_class failed;
    char why[VZ_NET_WHY_SIZE]; /* if it failed, one sentence without secrets: the URL stands there
                                * without its query */
    int status;                /* of HTTP; 0: nothing came. Failures may have one, too */
    bool is_elsewhere;         /* redirections led to a name that ends otherwise: the answer is of
                                * that one */
    bool sent;                 /* some attempt that nobody knows the end of may have been done by
                                * the server */
    unsigned attempts;
    vz_buffer text;         /* the body of other answers than 2xx, the first VZ_NET_TEXT_MAX bytes,
                             * with a 0 behind them that `size` does not count */
    vz_buffer kept;         /* the answer's headers; vz_net_header */
    struct vz_net_job *job; /* the engine's */
};

/* The value of a header of the answer, however it spells its name; NULL: it has none. Of several
 * the last one. */
const char *vz_net_header(const vz_net_request *request, const char *name);

/* A Content-Range: `size` bytes from `first` of `total` (UINT64_MAX: unknown). False: there is
 * none, or it makes no sense. */
typedef struct vz_net_content_range {
    uint64_t first, size, total;
} vz_net_content_range;
bool vz_net_range_of(const vz_net_request *request, vz_net_content_range *range);

/* Frees the answer, and makes the request one that can be asked again. `into` is the caller's. */
void vz_net_request_clear(vz_net_request *request);

/* ---- sets ---- */

/* Zero: the default. Texts are copied. Proxies are those of the environment, as curl reads it, at
 * the time of this call. */
typedef struct vz_net_options {
    unsigned connections;   /* under way to one host at once; 64 */
    bool http2;             /* where https and the library allow; S3 is faster without it */
    const char *ca_bundle;  /* file of certificates; NULL: AWS_CA_BUNDLE, CURL_CA_BUNDLE,
                             * SSL_CERT_FILE, the system's */
    unsigned connect_ms;    /* 5 s */
    unsigned first_byte_ms; /* from what was sent last to what is received first; 10 s */
    unsigned stall_ms;      /* without a byte in the middle of a body; 20 s */
    unsigned retry_ms;      /* in all, from the first attempt on, after which nothing is repeated; 3
                             * minutes */
    unsigned attempts;      /* at most; 12 */
    bool direct;            /* past all proxies: what is asked is this machine's, or its host's */
} vz_net_options;

/* NULL with err set. */
vz_net_set *vz_net_set_open(const vz_net_options *options, vz_error *err);
/* Adds a request. The set owns it until it is pulled or the set is closed. Any thread. False with
 * err set, and not added: its signer has no credentials, or there is no memory. */
bool vz_net_set_add(vz_net_set *set, vz_net_request *request, vz_error *err);
/* Waits for the next answered request, which nobody else gets. NULL: none is under way, or the set
 * was opened by the process that this one was forked from. Any thread. */
vz_net_request *vz_net_set_next(vz_net_set *set);
/* Ends requests without an answer: each comes out of vz_net_set_next as VZ_TRANSIENT, and may have
 * been done nevertheless (`sent`). */
void vz_net_set_stop(vz_net_set *set);
/* Ends what is under way, and returns when nobody uses the requests any more. Answers that were not
 * pulled stay in them. In a forked child it is vz_net_set_drop. */
void vz_net_set_close(vz_net_set *set);
/* In a forked child, of a set of its parent's: nothing is waited for. Its requests are the child's
 * to clear. */
void vz_net_set_drop(vz_net_set *set);

/* One request, answered when it returns: in the thread that calls, with the options of the set.
 * NULL: the defaults. False with err set when it failed, as request->failed says too; any answer at
 * all is true. */
bool vz_net_do(const vz_net_options *options, vz_net_request *request, vz_error *err);

/* ---- accounts: whose requests they are ---- */

typedef struct vz_net_account vz_net_account;

typedef enum vz_net_service { VZ_NET_S3, VZ_NET_GS, VZ_NET_AZ } vz_net_service;

/* Texts are copied; NULL and "" are the same. */
typedef struct vz_net_account_options {
    vz_net_service service;
    const char *endpoint; /* options of the store (base/util/options.h); with those that a redirect
                           * file set */
    const char *region;
    const char *profile;
    const char *account; /* of Azure's storage */
    const char *named;   /* of Azure's: the account, or its host, that the store's own name says */
    const char *ca_bundle;
    bool anonymous; /* the option, or where vz_reach_of (base/util/name_policy.h) says so */
} vz_net_account_options;

/* Reads the environment and the files with profiles, in the thread that calls, and asks nobody for
 * anything yet. NULL with err set: VZ_NOT_FOUND (a profile that is named and not there) or
 * VZ_INVALID (settings that make no sense). The error names the setting's place, never its
 * value. */
vz_net_account *vz_net_account_open(const vz_net_account_options *options, vz_error *err);
/* When no request has one of its signers any more. */
void vz_net_account_close(vz_net_account *account);
/* The endpoint that counts: the option's, the settings', NULL: Amazon's or Google's own (Azure's
 * accounts always have one). Likewise the region, NULL: nobody said one, ask the server
 * (x-amz-bucket-region). They live as long as the account. */
const char *vz_net_account_endpoint(const vz_net_account *account);
const char *vz_net_account_region(const vz_net_account *account);
/* A signer for requests to that region, which lives as long as the account; the same one for the
 * same region. It signs only for hosts of the account's endpoint (that host, and those below it:
 * buckets), or of Amazon (Google) where there is none. A request to another host fails with
 * VZ_PERMISSION. Over https a body is not hashed, unless the request has the header
 * x-amz-content-sha256 already. Any thread. */
vz_net_signer *vz_net_account_signer(vz_net_account *account, const char *region, vz_error *err);
/* Fetches the credentials if they are not there, and says where they come from: "the environment",
 * "profile x" ..., or "nowhere: anonymous". For messages. False with err set: a source that was
 * named failed. */
bool vz_net_account_source(vz_net_account *account, char *text, size_t size, vz_error *err);
/* Are requests sent without credentials because none were found, and not because somebody wants
 * that? Then `text` says where they were looked for. Waits for nobody. */
bool vz_net_account_found_none(vz_net_account *account, char *text, size_t size);

/* SHA-256 in 64 lower-case hexadecimal digits and a 0, for the header x-amz-content-sha256; MD5 in
 * base64, for Content-MD5 (25 bytes with the 0). False with err set: the library has none. */
bool vz_net_sha256(vz_bytes data, char hex[65], vz_error *err);
bool vz_net_md5(vz_bytes data, char base64[25], vz_error *err);

/* ---- the module's one export ---- */

typedef struct vz_net_functions {
    unsigned version;              /* VZ_NET_VERSION */
    size_t request_size;           /* of a vz_net_request, as a second look at whether both sides
                                    * were built from one header */
    const char *(*describe)(void); /* the libraries that do the work, for people: "libcurl/7.88.1
                                    * OpenSSL/3.0.19 ..." */
    bool (*headers_add)(vz_net_headers *headers, const char *name, const char *value, vz_error *err);
    const char *(*header)(const vz_net_request *request, const char *name);
    bool (*range_of)(const vz_net_request *request, vz_net_content_range *range);
    void (*request_clear)(vz_net_request *request);
    vz_net_set *(*set_open)(const vz_net_options *options, vz_error *err);
    bool (*set_add)(vz_net_set *set, vz_net_request *request, vz_error *err);
    vz_net_request *(*set_next)(vz_net_set *set);
    void (*set_stop)(vz_net_set *set);
    void (*set_close)(vz_net_set *set);
    void (*set_drop)(vz_net_set *set);
    bool (*do_one)(const vz_net_options *options, vz_net_request *request, vz_error *err);
    vz_net_account *(*account_open)(const vz_net_account_options *options, vz_error *err);
    void (*account_close)(vz_net_account *account);
    const char *(*account_endpoint)(const vz_net_account *account);
    const char *(*account_region)(const vz_net_account *account);
    vz_net_signer *(*account_signer)(vz_net_account *account, const char *region, vz_error *err);
    bool (*account_source)(vz_net_account *account, char *text, size_t size, vz_error *err);
    bool (*account_found_none)(vz_net_account *account, char *text, size_t size);
    bool (*sha256)(vz_bytes data, char hex[65], vz_error *err);
    bool (*md5)(vz_bytes data, char base64[25], vz_error *err);
} vz_net_functions;

/* The function that VZ_NET_ENTRY names. NULL: the module has another version of this header. */
typedef const vz_net_functions *(*vz_net_entry)(unsigned version);

/* -- Digest --
 * hashes, by the EVP interface of OpenSSL, and memory that held secrets. */
#define VZ_SHA256_SIZE     32
#define VZ_SHA256_HEX_SIZE 65 /* with the 0 at its end */

/* False with err set when the library has no such hash (VZ_UNSUPPORTED: a FIPS mode refuses MD5) or
 * no memory. */
bool vz_sha256(vz_bytes data, uint8_t out[VZ_SHA256_SIZE], vz_error *err);
bool vz_sha256_hex(vz_bytes data, char out[VZ_SHA256_HEX_SIZE], vz_error *err);
bool vz_hmac_sha256(vz_bytes key, vz_bytes data, uint8_t out[VZ_SHA256_SIZE], vz_error *err);
bool vz_sha1_hex(vz_bytes data, char out[41], vz_error *err);
/* Content-MD5, which some servers want with lists of keys to delete. */
bool vz_md5(vz_bytes data, uint8_t out[16], vz_error *err);

/* Appends the signature of a private key (PEM) over data: RSA, SHA-256, PKCS #1 v1.5. VZ_INVALID:
 * no such key. rs256.c */
bool vz_rs256(vz_bytes pem, vz_bytes data, vz_buffer *out, vz_error *err);

/* Lower-case hexadecimal digits, and a 0. */
void vz_hex(const uint8_t *data, size_t size, char *out);

static inline vz_bytes vz_net_bytes_of(const char *text)
{
    return (vz_bytes){(const uint8_t *)text, strlen(text)};
}

/* Overwrites a secret, then frees it; NULL is fine. */
void vz_secret_free(char *secret);
/* Overwrites and frees a buffer. Blocks that it outgrew are not reached, so reserve its size
 * before. */
void vz_secret_clear(vz_buffer *buffer);

#endif
