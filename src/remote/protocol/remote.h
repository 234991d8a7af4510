/* remote.h - exchanges with a server, versions of values, settings, and names that a store
 * contains. */
#ifndef VZ_PROTOCOL_REMOTE_H
#define VZ_PROTOCOL_REMOTE_H

#include "net/http/http.h"
#include "remote/protocol/endpoint.h"
#include "remote/protocol/remote_name.h"
#include "store/store/kind.h"
#include "store/store/store.h"

/* -- Exchange -- one request and its answer, with the memory of both. */
#define VZ_EXCHANGE_LINES_MAX 12

typedef struct vz_exchange {
    vz_net_request net; /* net.owner is this exchange */
    vz_site *site;
    const char *key, *query; /* the whole key; NULL: none */
    const char *lines[VZ_EXCHANGE_LINES_MAX];
    vz_buffer url;
    vz_arena arena;
    vz_buffer own; /* net.into may point to it */
    bool is_aimed_again;
    bool is_sent; /* was given to a set; for callers that send several */
    void *task;   /* its owner */
    size_t place; /* index in the task */
} vz_exchange;

/* Does a key name a document of a node? Readers of a store begin with documents. */
static inline bool vz_remote_is_document(const char *key)
{
    const char *slash = strrchr(key, '/'), *name = slash ? slash + 1 : key;
    return strncmp(name, ".z", 2) == 0 || strcmp(name, "zarr.json") == 0;
}

/* Prepares a request in zeroed memory; copies whole_key and query. Clear it in any case. */
bool vz_exchange_begin(vz_exchange *x, vz_site *site, vz_net_method method, const char *whole_key, const char *query,
                       vz_error *err);
/* Sets the value of a PUT, borrowed until the answer, and the service's header line for values. */
bool vz_exchange_value(vz_exchange *x, vz_bytes value, vz_error *err);
/* Adds a header line. */
bool vz_exchange_line(vz_exchange *x, vz_error *err, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Makes the URL from the facts known now. Call it before sending; vz_exchange_is_redirected calls
 * it again. */
bool vz_exchange_aim(vz_exchange *x, vz_error *err);
/* Does the answer name another region of the bucket? Then the exchange is reset and aimed there, to
 * be sent again. At most once for each exchange. */
bool vz_exchange_is_redirected(vz_exchange *x);
/* True: done, or (*missing) the key does not exist. False with err set: VZ_CHANGED when a condition
 * does not hold, VZ_TRANSIENT when the answer may differ in a moment, VZ_PERMISSION,
 * VZ_UNSUPPORTED, VZ_IO ... */
bool vz_exchange_check(const vz_exchange *x, bool *missing, vz_error *err);
/* Sets err to the refusal in the answer; returns false. */
bool vz_exchange_fail(const vz_exchange *x, vz_error *err);
/* Of a 404: is the key missing? Services have other codes with status 404. */
bool vz_exchange_names_no_key(const vz_exchange *x);
/* Of a 403: may a missing key get this answer? No for other codes, and for texts about a signature,
 * a token, expiry or an encryption key. */
bool vz_exchange_may_hide_absence(const vz_exchange *x);
/* Sends one exchange, once more if redirected, and waits. False: no answer came. */
bool vz_exchange_do(vz_exchange *x, vz_error *err);
void vz_exchange_clear(vz_exchange *x);
/* Deletes a value that this process put. Ignores failures. */
void vz_exchange_delete(vz_site *site, const char *whole_key);
/* Is the answer an HTML page, which some web servers send for any name? Never of a bucket. */
bool vz_exchange_is_page(const vz_exchange *x);
/* Fails with VZ_CHANGED; returns false. */
bool vz_exchange_fail_changed(vz_error *err);

/* -- Remote settings -- */
/* The endpoint that options and user settings lead to. *endpoint is the caller's; NULL: the
 * service's own. */
bool vz_settings_endpoint(const vz_service *service, const vz_options *options, char **endpoint, vz_error *err);

/* -- Stored name -- remote names that a store's files contain. */
/* The column of the policy, by the name alone. Addresses are known when a connection is made. */
vz_name_destination vz_remote_target(const vz_remote_name *name);
/* Turns the user's options into those for the named server. `by_redirect`: a redirect file on the
 * way contains the name and has changed the options. False with `why` set: the server may not be
 * contacted. */
bool vz_remote_take_named(const vz_named *named, const vz_remote_name *name, bool by_redirect, vz_options *options,
                          vz_error *why);
/* May a name from a store be opened as the user's own name? It must lead to the place of that
 * store, and the user must have named that place. Sends no request. */
bool vz_remote_check_named(const char *text, const vz_named *named, vz_error *err);

/* -- Value version -- the ETag of a value or, without one, the time of its last change. */
/* Of an answer with status 2xx. Its size is 0 where the server sends neither. */
vz_version vz_remote_version_of_answer(const vz_net_functions *net, const vz_net_request *answer);
vz_version vz_remote_version_of_etag(const char *etag);
/* The ETag that a version is; false: it is of another kind, or a long one, of which only a hash is
 * known. */
bool vz_remote_etag_of_version(const vz_version *version, char etag[VZ_VERSION_SIZE]);
/* Was the value not changed after that second, as far as the answer tells? VZ_CHANGED. 0: any will
 * do. */
bool vz_remote_check_unmodified(const vz_net_functions *net, const vz_net_request *answer, uint64_t second,
                                vz_error *err);
/* The ETag for If-Match, in the caller's `etag`. NULL: the server cannot be asked for this version;
 * compare answers. */
#define VZ_ETAG_SIZE (VZ_VERSION_SIZE + 1)
const char *vz_remote_version_etag(const vz_version *version, char etag[VZ_ETAG_SIZE]);
/* The version as a stamp of the store. */
vz_stamp vz_remote_version_stamp(const vz_version *version, uint64_t size);

#endif
