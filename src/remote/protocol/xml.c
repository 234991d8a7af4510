/* xml.c - see remote_internal.h. */
#include "remote/protocol/remote_internal.h"
#include <expat.h>
#include <limits.h>

#define NAME_MAX_SIZE 64 /* bytes of an element's name */

typedef struct reading {
    XML_Parser parser;
    vz_xml_visit visit;
    void *context;
    vz_error *err;
    char path[VZ_XML_DEPTH_MAX * NAME_MAX_SIZE];
    size_t starts[VZ_XML_DEPTH_MAX]; /* of `path`: how long it was before each element that is
                                      * open */
    unsigned depth;
    bool has_inside; /* the element that ends next had elements inside */
    bool failed;
    vz_buffer text;
} reading;

static void stop(reading *r)
{
    r->failed = true;
    XML_StopParser(r->parser, XML_FALSE);
}

static const char *without_prefix(const char *name)
{
    const char *colon = strrchr(name, ':');
    return colon ? colon + 1 : name;
}

static void begin(void *context, const XML_Char *full_name, const XML_Char **attributes)
{
    reading *r = context;
    const char *name = without_prefix(full_name);
    const size_t length = strlen(r->path), size = strlen(name);
    (void)attributes;
    if (r->depth == VZ_XML_DEPTH_MAX || size == 0 || size + 1 >= NAME_MAX_SIZE) {
        vz_fail(r->err, VZ_CORRUPT, "the server's answer has elements that are too deep, or with long names");
        stop(r);
        return;
    }
    r->starts[r->depth++] = length;
    if (length > 0)
        r->path[length] = '/';
    memcpy(r->path + length + (length > 0), name, size + 1);
    r->text.size = 0;
    r->has_inside = false;
}

static void end(void *context, const XML_Char *name)
{
    reading *r = context;
    (void)name;
    if (r->failed) /* expat ends an empty element that was stopped at */
        return;
    if (r->has_inside)
        r->text.size = 0;
    if (!vz_buffer_append(&r->text, "", 1, r->err) ||
        !r->visit(r->context, r->path, (const char *)r->text.data, r->err)) {
        stop(r);
        return;
    }
    r->path[r->starts[--r->depth]] = '\0';
    r->text.size = 0;
    r->has_inside = true;
}

static void take_text(void *context, const XML_Char *text, int size)
{
    reading *r = context;
    if (!r->failed && !vz_buffer_append(&r->text, text, (size_t)size, r->err))
        stop(r);
}

static void refuse_type(void *context, const XML_Char *name, const XML_Char *system, const XML_Char *public, int inside)
{
    reading *r = context;
    (void)name, (void)system, (void)public, (void)inside;
    vz_fail(r->err, VZ_CORRUPT, "the server's answer has a document type");
    stop(r);
}

static bool parse(reading *r, vz_bytes document)
{
    XML_SetUserData(r->parser, r);
    XML_SetElementHandler(r->parser, begin, end);
    XML_SetCharacterDataHandler(r->parser, take_text);
    XML_SetStartDoctypeDeclHandler(r->parser, refuse_type);
    if (document.size > INT_MAX)
        return vz_fail(r->err, VZ_LIMIT, "an answer of %zu bytes", document.size);
    if (XML_Parse(r->parser, (const char *)document.data, (int)document.size, true) != XML_STATUS_ERROR)
        return true;
    const enum XML_Error code = XML_GetErrorCode(r->parser);
    if (code == XML_ERROR_NO_MEMORY)
        return vz_fail_memory(r->err);
    return r->failed ? false
                     : vz_fail(r->err, VZ_CORRUPT, "the server's answer is not XML as it should be: %s",
                               XML_ErrorString(code));
}

bool vz_xml_read(vz_bytes document, vz_xml_visit visit, void *context, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    reading r = {.visit = visit, .context = context, .err = &failed, .text = {.limit = VZ_XML_TEXT_MAX}};
    r.parser = XML_ParserCreate("UTF-8");
    const bool ok = r.parser ? parse(&r, document) : vz_fail_memory(&failed);
    if (r.parser)
        XML_ParserFree(r.parser);
    vz_buffer_clear(&r.text);
    if (!ok && err && err->class == VZ_OK)
        *err = failed;
    return ok;
}
