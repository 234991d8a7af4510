/* s3_xml.c - see service.h. */
#include "remote/protocol/service.h"
#include "remote/protocol/remote_internal.h"
#include <stdio.h>
#include <stdlib.h>

/* The path behind its first element, if that element has the name; else NULL. */
static const char *inside(const char *path, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(path, name, length) == 0 && path[length] == '/' ? path + length + 1 : NULL;
}

static bool is(const char *a, const char *b)
{
    return a && strcmp(a, b) == 0;
}

static void copy(char *to, size_t size, const char *text)
{
    snprintf(to, size, "%s", text);
}

/* ---- refusals ---- */

/* Members that hold a name, which may be any text. */
static bool is_name(const char *member)
{
    static const char *const names[] = {"Key", "Resource", "BucketName", "RequestId", "HostId", "Endpoint"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is(member, names[i]))
            return true;
    return false;
}

static bool take_refusal(void *context, const char *path, const char *text, vz_error *err)
{
    vz_refusal *refusal = context;
    const char *member = inside(path, "Error");
    (void)err;
    if (!member && (member = inside(path, "ErrorResponse")))
        member = inside(member, "Error");
    if (is(member, "Code"))
        copy(refusal->code, sizeof refusal->code, text);
    else if (is(member, "Message"))
        copy(refusal->message, sizeof refusal->message, text);
    else if (is(member, "Region"))
        copy(refusal->region, sizeof refusal->region, text);
    if (member && !is_name(member) &&
        vz_protocol_text_speaks_of_access((vz_bytes){(const uint8_t *)text, strlen(text)}))
        refusal->speaks_of_access = true;
    return true;
}

void vz_s3_read_refusal(vz_bytes answer, vz_refusal *refusal)
{
    *refusal = (vz_refusal){0};
    if (!vz_xml_read(answer, take_refusal, refusal, NULL))
        *refusal = (vz_refusal){0};
}

/* ---- listings ---- */

typedef struct listing {
    vz_list_page *page;
    bool is_listing, is_encoded, is_truncated, is_last;
    vz_list_item item; /* whose members are being read; its key is in the page */
    bool has_key;
} listing;

static bool add_key(vz_list_page *page, const char *key, bool is_prefix, vz_error *err)
{
    char *own = vz_arena_copy(&page->arena, key, strlen(key) + 1, err);
    return own && vz_list_page_add(page, &(vz_list_item){.key = own, .is_prefix = is_prefix}, err);
}

static void end_value(listing *l)
{
    vz_list_item *last = l->has_key ? &l->page->items[l->page->count - 1] : NULL;
    if (last) {
        l->item.key = last->key;
        *last = l->item;
    }
    l->has_key = false;
    l->item = (vz_list_item){0};
}

static bool take_listed(void *context, const char *path, const char *text, vz_error *err)
{
    listing *l = context;
    l->is_listing |= is(path, "ListBucketResult");
    const char *member = inside(path, "ListBucketResult");
    if (is(member, "Contents/Key"))
        return (l->has_key = add_key(l->page, text, false, err));
    if (is(member, "CommonPrefixes/Prefix"))
        return add_key(l->page, text, true, err);
    if (is(member, "Contents/ETag"))
        return vz_list_page_etag(l->page, &l->item, text, err);
    if (is(member, "Contents/Size"))
        l->item.size = strtoull(text, NULL, 10);
    else if (is(member, "Contents/LastModified"))
        l->item.modified_ns = vz_list_page_time(text);
    else if (is(member, "Contents"))
        end_value(l);
    else if (is(member, "EncodingType"))
        l->is_encoded = is(text, "url");
    else if (is(member, "IsTruncated")) {
        l->is_truncated = is(text, "true");
        l->is_last = !l->is_truncated;
    } else if (is(member, "NextContinuationToken") && !l->page->token)
        return (l->page->token = strdup(text)) || vz_fail_memory(err);
    return true;
}

/* A NUL in a key that was encoded would cut it off. */
static bool decode_keys(vz_list_page *page, vz_error *err)
{
    for (size_t i = 0; i < page->count; i++)
        if (vz_remote_url_decode(page->items[i].key, true) != strlen(page->items[i].key))
            return vz_fail(err, VZ_CORRUPT, "a key with a NUL in a listing");
    return true;
}

bool vz_s3_read_page(vz_bytes answer, vz_list_page *page, vz_error *err)
{
    listing l = {.page = page};
    if (!vz_xml_read(answer, take_listed, &l, err))
        return false;
    if (!l.is_listing)
        return vz_fail(err, VZ_CORRUPT, "the server's answer is no listing");
    if (l.is_truncated && !page->token)
        return vz_fail(err, VZ_UNSUPPORTED,
                       "a server whose listings have no continuation tokens (ListObjectsV2 is not there)");
    if (l.is_last) {
        free(page->token);
        page->token = NULL;
    }
    return !l.is_encoded || decode_keys(page, err);
}

/* ---- what was changed ---- */

typedef struct deletion {
    bool is_answer;
    unsigned failed;
    char key[128], code[64];
} deletion;

static bool take_deleted(void *context, const char *path, const char *text, vz_error *err)
{
    deletion *d = context;
    d->is_answer |= is(path, "DeleteResult");
    const char *member = inside(path, "DeleteResult");
    (void)err;
    if (d->failed)
        return true;
    if (is(member, "Error/Key"))
        copy(d->key, sizeof d->key, text);
    else if (is(member, "Error/Code"))
        copy(d->code, sizeof d->code, text);
    else if (is(member, "Error") && !is(d->code, "NoSuchKey"))
        d->failed++;
    return true;
}

bool vz_s3_read_deleted(vz_bytes answer, vz_error *err)
{
    deletion d = {0};
    if (!vz_xml_read(answer, take_deleted, &d, err))
        return false;
    if (!d.is_answer)
        return vz_fail(err, VZ_CORRUPT, "the server does not say what it deleted");
    if (!d.failed)
        return true;
    const bool is_denied = is(d.code, "AccessDenied");
    const bool is_passing = is(d.code, "InternalError") || is(d.code, "SlowDown") || is(d.code, "ServiceUnavailable");
    return vz_fail(err,
                   is_denied    ? VZ_PERMISSION
                   : is_passing ? VZ_TRANSIENT
                                : VZ_IO,
                   "%.100s was not deleted: %s", d.key, d.code);
}

typedef struct upload {
    char *id;
} upload;

static bool take_upload(void *context, const char *path, const char *text, vz_error *err)
{
    upload *u = context;
    if (!is(path, "InitiateMultipartUploadResult/UploadId") || u->id)
        return true;
    return (u->id = strdup(text)) || vz_fail_memory(err);
}

char *vz_s3_read_upload(vz_bytes answer, vz_error *err)
{
    upload u = {0};
    if (vz_xml_read(answer, take_upload, &u, err) && u.id && *u.id)
        return u.id;
    free(u.id);
    vz_fail(err, VZ_CORRUPT, "the server began no upload in parts");
    return NULL;
}

typedef struct made {
    bool is_made;
    char *etag;
    size_t etag_size;
} made;

static bool take_made(void *context, const char *path, const char *text, vz_error *err)
{
    made *m = context;
    (void)err;
    static const char *const roots[] = {"CopyObjectResult", "CopyPartResult", "CompleteMultipartUploadResult"};
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        if (is(inside(path, roots[i]), "ETag"))
            copy(m->etag, m->etag_size, text);
        m->is_made |= is(path, roots[i]);
    }
    return true;
}

bool vz_s3_read_made(vz_bytes answer, char *etag, size_t etag_size, vz_refusal *refusal, vz_error *err)
{
    made m = {.etag = etag, .etag_size = etag_size};
    etag[0] = '\0';
    vz_s3_read_refusal(answer, refusal);
    if (refusal->code[0])
        return vz_fail(err, VZ_TRANSIENT, "the server began, and then failed: %s", refusal->code);
    if (!vz_xml_read(answer, take_made, &m, err))
        return false;
    return m.is_made || vz_fail(err, VZ_CORRUPT, "the server does not say what it made");
}

/* ---- */

bool vz_xml_escape(const char *text, vz_buffer *out, vz_error *err)
{
    for (; *text; text++) {
        const char *word = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : NULL;
        char number[8];
        if (!word && (unsigned char)*text < 0x20) {
            snprintf(number, sizeof number, "&#%d;", *text);
            word = number;
        }
        if (!(word ? vz_buffer_append(out, word, strlen(word), err) : vz_buffer_append(out, text, 1, err)))
            return false;
    }
    return true;
}
