/* value_version.c - see remote.h. The first byte tells what the others are. */
#include "remote/protocol/remote_internal.h"
#include "remote/protocol/remote.h"
#include "base/util/http_date.h"

enum { ETAG = 'E', HASH = 'H', TIME = 'T' };

static void add(vz_version *version, const void *data, size_t size)
{
    memcpy(version->bytes + version->size, data, size);
    version->size = (uint8_t)(version->size + size);
}

static vz_version begin(uint8_t kind, bool lasts)
{
    vz_version version = {.lasts = lasts};
    add(&version, &kind, 1);
    return version;
}

static void add_hash(vz_version *version, const char *text)
{
    const uint64_t parts[] = {vz_hash(text, strlen(text), 0), vz_hash(text, strlen(text), 1)};
    add(version, parts, sizeof parts);
}

vz_version vz_remote_version_of_etag(const char *etag)
{
    const size_t length = strlen(etag);
    vz_version version = begin(length < VZ_VERSION_SIZE ? ETAG : HASH, true);
    if (length < VZ_VERSION_SIZE)
        add(&version, etag, length);
    else
        add_hash(&version, etag);
    return version;
}

bool vz_remote_etag_of_version(const vz_version *version, char etag[VZ_VERSION_SIZE])
{
    if (version->size < 2 || version->bytes[0] != ETAG)
        return false;
    memcpy(etag, version->bytes + 1, version->size - 1u);
    etag[version->size - 1] = '\0';
    return true;
}

/* A second may see several versions: such a time tells them apart, but nothing is remembered with
 * it. */
vz_version vz_remote_version_of_answer(const vz_net_functions *net, const vz_net_request *answer)
{
    const char *etag = net->header(answer, "ETag");
    if (etag && *etag)
        return vz_remote_version_of_etag(etag);
    const char *modified = net->header(answer, "Last-Modified");
    if (!modified)
        return (vz_version){0};
    vz_version version = begin(TIME, false);
    add_hash(&version, modified);
    return version;
}

bool vz_remote_check_unmodified(const vz_net_functions *net, const vz_net_request *answer, uint64_t second,
                                vz_error *err)
{
    int64_t modified;
    const char *text = second ? net->header(answer, "Last-Modified") : NULL;
    return !text || !vz_http_date_parse(text, &modified) || modified <= 0 || (uint64_t)modified <= second ||
           vz_exchange_fail_changed(err);
}

/* A weak one says that two values mean the same, not that they have the same bytes: no server takes
 * it as a condition. */
const char *vz_remote_version_etag(const vz_version *version, char etag[VZ_ETAG_SIZE])
{
    if (version->size < 2 || version->bytes[0] != ETAG || version->bytes[1] != '"')
        return NULL;
    memcpy(etag, version->bytes + 1, version->size - 1);
    etag[version->size - 1] = '\0';
    return etag;
}

vz_stamp vz_remote_version_stamp(const vz_version *version, uint64_t size)
{
    return (vz_stamp){.exists = true, .size = size, .inode = vz_hash(version->bytes, version->size, 2)};
}
