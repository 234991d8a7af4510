/* azure.c - what answers of Azure's storage mean, and its listings. */
#include "remote/protocol/service.h"
#include "remote/protocol/remote.h"
#include "remote/protocol/remote_internal.h"
#include "base/util/bytes.h"
#include <stdlib.h>

/* ---- refusals ---- */

/* Codes that say more than their status. A code that is not here and comes with 409 is for good.
 * The object at the server (a lease, a snapshot, another type of value) stays. */
vz_error_class vz_azure_class_of(int status, const char *code)
{
    static const struct {
        const char *code;
        vz_error_class class;
    } rows[] = {
        {"BlobAlreadyExists", VZ_CHANGED},
        {"ConditionNotMet", VZ_CHANGED},
        {"InvalidBlockList", VZ_TRANSIENT}, /* another writer's list took the place of these
                                             * blocks */
        {"PendingCopyOperation", VZ_TRANSIENT},
        {"ContainerBeingDeleted", VZ_TRANSIENT},
        {"ServerBusy", VZ_TRANSIENT},
        {"OperationTimedOut", VZ_TRANSIENT},
        {"InternalError", VZ_TRANSIENT},
        {"PublicAccessNotPermitted", VZ_PERMISSION},
        {"BlobImmutableDueToPolicy", VZ_PERMISSION},
        {"LeaseIdMissing", VZ_PERMISSION},
        {"NoAuthenticationInformation", VZ_PERMISSION},
        {"InvalidAuthenticationInfo", VZ_PERMISSION},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].code, code) == 0)
            return rows[i].class;
    if (status == 409 || (status == 412 && *code))
        return VZ_IO;
    return vz_exchange_class_of(status);
}

const char *vz_azure_hint(const char *code)
{
    if (strcmp(code, "AuthenticationFailed") == 0)
        return "; the account's key or SAS is not the right one, or has expired";
    return strcmp(code, "AuthorizationFailure") == 0 ? "; the account's key or SAS is not the right one, or has "
                                                       "expired, or the account takes no requests from here"
                                                     : NULL;
}

bool vz_azure_heeds_conditions(const char *endpoint)
{
    static const char host[] = ".blob.core.windows.net";
    const size_t length = endpoint ? strlen(endpoint) : 0;
    return length > strlen(host) && strcmp(endpoint + length - strlen(host), host) == 0;
}

/* ---- listings ---- */

bool vz_azure_list_query(const vz_list_question *question, vz_buffer *out, vz_error *err)
{
    bool ok = vz_buffer_printf(out, err, "comp=list%s", question->flat ? "" : "&delimiter=%2F");
    if (ok && question->token)
        ok = vz_buffer_printf(out, err, "&marker=") && vz_percent_encode(out, question->token, "", err);
    if (ok && question->most)
        ok = vz_buffer_printf(out, err, "&maxresults=%u", question->most);
    return ok && vz_buffer_printf(out, err, "&prefix=") && vz_percent_encode(out, question->prefix, "", err) &&
           vz_buffer_printf(out, err, "&restype=container") && vz_buffer_append(out, "", 1, err);
}

typedef struct listing {
    vz_list_page *page;
    bool is_listing;
    vz_list_item item; /* whose members are being read */
    bool is_directory; /* of an account with directories: it is no value */
} listing;

static bool is(const char *path, const char *name)
{
    return strcmp(path, name) == 0;
}

static bool end_item(listing *l, bool is_prefix, vz_error *err)
{
    vz_list_item item = l->item;
    item.is_prefix = is_prefix;
    const bool counts = item.key && !(l->is_directory && !is_prefix);
    l->item = (vz_list_item){0};
    l->is_directory = false;
    return !counts || vz_list_page_add(l->page, &item, err);
}

static bool take_listed(void *context, const char *path, const char *text, vz_error *err)
{
    static const char blobs[] = "EnumerationResults/Blobs/";
    listing *l = context;
    l->is_listing |= is(path, "EnumerationResults");
    if (is(path, "EnumerationResults/NextMarker") && *text && !l->page->token)
        return (l->page->token = strdup(text)) || vz_fail_memory(err);
    if (strncmp(path, blobs, strlen(blobs)) != 0)
        return true;
    const char *member = path + strlen(blobs);
    if (is(member, "Blob/Name") || is(member, "BlobPrefix/Name"))
        return (l->item.key = vz_arena_copy(&l->page->arena, text, strlen(text) + 1, err)) != NULL;
    if (is(member, "Blob/Properties/Etag"))
        return vz_list_page_etag(l->page, &l->item, text, err);
    if (is(member, "Blob/Properties/Content-MD5"))
        return !*text || (l->item.md5 = vz_arena_copy(&l->page->arena, text, strlen(text) + 1, err));
    if (is(member, "Blob/Properties/Last-Modified"))
        l->item.modified_ns = vz_list_page_time(text);
    else if (is(member, "Blob/Properties/Content-Length"))
        l->item.size = strtoull(text, NULL, 10);
    else if (is(member, "Blob/Properties/ResourceType"))
        l->is_directory = is(text, "directory");
    else if (is(member, "Blob") || is(member, "BlobPrefix"))
        return end_item(l, is(member, "BlobPrefix"), err);
    return true;
}

bool vz_azure_read_page(vz_bytes answer, vz_list_page *page, vz_error *err)
{
    listing l = {.page = page};
    return vz_xml_read(answer, take_listed, &l, err) &&
           (l.is_listing || vz_fail(err, VZ_CORRUPT, "the server's answer is no listing"));
}
