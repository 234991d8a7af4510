/* redirect.c - redirect files: written, read, and where they lead. A redirect file may come from
 * anybody. So it cannot lead out of the directory that it lies in, unless the user says so.
 * Nothing but a name is taken from it, and for a store that is remote the options that are
 * harmless. */
#include "store/store/kind_internal.h"
#include "base/os/file.h"
#include "base/util/json.h"
#include "base/util/name_policy.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define MEMBER  "store"
#define OPTIONS "options"

static __thread bool anywhere_is_allowed;

void vz_redirect_allow_anywhere(bool anywhere)
{
    anywhere_is_allowed = anywhere;
}

/* ---- writing ---- */

static bool print(const char *target, vz_buffer *out, vz_error *err)
{
    uint8_t block[VZ_SIGNATURE_BLOCK_SIZE];
    const vz_bytes start = vz_signature_print(VZ_SIGNATURE_REDIRECT, block);
    vz_json *name = vz_json_text(target, err);
    const bool ok = name && vz_buffer_append(out, start.data, start.size, err) &&
                    vz_buffer_printf(out, err, "{\"" MEMBER "\": ") && vz_json_print(name, 0, out, err) &&
                    vz_buffer_printf(out, err, "}\n");
    vz_json_free(name);
    return ok;
}

static bool write_new(const char *path, const vz_buffer *text, vz_error *err)
{
    const int file = vz_os_create(path, O_WRONLY | O_EXCL, 0666);
    if (file < 0)
        return vz_fail_errno(err, errno, "cannot make the doorway");
    bool ok = vz_os_file_write(file, 0, text->data, text->size, err);
    ok = (vz_os_close(file) == 0 || vz_fail_errno(err, errno, "cannot write the doorway")) && ok;
    if (!ok)
        vz_os_unlink(path);
    return ok;
}

bool vz_redirect_write(const char *path, const char *target, vz_error *err)
{
    vz_buffer text = {0};
    bool ok = *target || vz_fail(err, VZ_INVALID, "a doorway to a store without a name");
    ok = ok && print(target, &text, err) &&
         (text.size <= VZ_REDIRECT_MAX ||
          vz_fail(err, VZ_LIMIT, "the name of the store has %zu bytes, and a doorway has at most %d", strlen(target),
                  VZ_REDIRECT_MAX));
    ok = ok && write_new(path, &text, err);
    vz_buffer_clear(&text);
    if (!ok)
        vz_error_where(err, path, NULL);
    return ok;
}

/* From one directory to a path, both absolute and without links; then `bar`, unless it is NULL. */
static bool print_way(const char *directory, const char *to, const char *bar, vz_buffer *out, vz_error *err)
{
    size_t common = 0;
    for (size_t i = 0;; i++) {
        const bool ends = !directory[i] || directory[i] == '/', to_ends = !to[i] || to[i] == '/';
        if (ends && to_ends)
            common = i;
        if (!directory[i] || directory[i] != to[i])
            break;
    }
    bool ok = true;
    for (const char *p = directory + common; ok && *p; p += strcspn(p, "/")) {
        p += strspn(p, "/");
        ok = !*p || vz_buffer_printf(out, err, "../");
    }
    const char *rest = to + common + strspn(to + common, "/");
    return ok && vz_buffer_printf(out, err, "%s%s", *rest ? rest : ".", bar ? bar : "") &&
           vz_buffer_append(out, "", 1, err);
}

char *vz_redirect_name(const char *path, const char *store, bool *leaves, vz_error *err)
{
    if (vz_location_is_url(store)) {
        char *copy = strdup(store);
        *leaves = true;
        if (!copy)
            vz_fail_memory(err);
        return copy;
    }
    vz_buffer name = {0};
    const char *bar = vz_os_path_is_there(store) ? NULL : vz_location_pipeline_find(store);
    char *base = bar ? strndup(store, (size_t)(bar - store)) : strdup(store);
    char *above = vz_os_path_directory(path, err), *directory = above ? vz_os_path_resolve(above, err) : NULL;
    char *to = directory && base ? vz_os_path_resolve(base, err) : NULL;
    if (!base)
        vz_fail_memory(err);
    if (!to || !print_way(directory, to, bar, &name, err))
        vz_buffer_clear(&name);
    free(base);
    *leaves = name.data && strncmp((const char *)name.data, "../", 3) == 0;
    free(above);
    free(directory);
    free(to);
    return (char *)name.data;
}

/* ---- reading ---- */

/* scheme://... */
bool vz_location_is_url(const char *name)
{
    const char *end = name;
    while (isalnum((unsigned char)*end) || (*end && strchr("+-.", *end)))
        end++;
    return isalpha((unsigned char)*name) && strncmp(end, "://", 3) == 0;
}

/* A copy of a member's text; NULL with err set. */
static char *take_text(const vz_json *document, const char *member, vz_error *err)
{
    const char *text = vz_json_get_text(document, member);
    char *copy = NULL;
    if (!text || !*text || !vz_utf8_valid(text, strlen(text)))
        vz_fail(err, VZ_CORRUPT, "a doorway that names no %s", member);
    else if (!(copy = strdup(text)))
        vz_fail_memory(err);
    return copy;
}

static bool ends_with(const char *name, const char *end, const char *suffix)
{
    const size_t length = strlen(suffix);
    return (size_t)(end - name) >= length && strncmp(end - length, suffix, length) == 0;
}

/* A user's name and password, or a URL that is signed: they would be everybody's who has the
 * file. A key in a bucket may have "?" and "#", the URL of a web server may not. */
static bool has_credentials(const char *name)
{
    const char *colon = strstr(name, "://"), *place = colon + 3;
    const bool is_web = ends_with(name, colon, "http") || ends_with(name, colon, "https");
    return memchr(place, '@', strcspn(place, "/?#")) || (is_web && strpbrk(place, "?#"));
}

/* Any other member is refused, since it is not known to be harmless. */
static bool take_word(const vz_json *document, vz_redirect_content *word, vz_error *err)
{
    const char *key;
    vz_json *value;
    for (size_t i = 0; vz_json_member(document, i, &key, &value); i++)
        if (strcmp(key, MEMBER) != 0 && strcmp(key, OPTIONS) != 0)
            return vz_fail(err, VZ_UNSUPPORTED, "a doorway with \"%.40s\", of which nothing is known here", key);
    if (!(word->name = take_text(document, MEMBER, err)))
        return false;
    if (vz_location_is_url(word->name) && has_credentials(word->name)) {
        vz_redirect_content_clear(word); /* messages would have it */
        return vz_fail(err, VZ_PERMISSION, "a doorway with credentials, or a query, in the name of its store");
    }
    if (!vz_json_get(document, OPTIONS))
        return true;
    if (!vz_location_is_url(word->name))
        return vz_fail(err, VZ_UNSUPPORTED,
                       "a doorway with options to a local store: only those to a remote store may have some");
    return (word->options = take_text(document, OPTIONS, err)) != NULL;
}

static bool is_own(int file)
{
    struct stat status;
    return vz_os_fstat(file, &status) == 0 && vz_os_is_own(&status);
}

void vz_redirect_content_clear(vz_redirect_content *word)
{
    free(word->name);
    free(word->options);
    *word = (vz_redirect_content){0};
}

bool vz_redirect_read(int file, uint64_t size, const vz_signature *header, vz_redirect_content *word, vz_error *err)
{
    uint8_t text[VZ_REDIRECT_MAX], block[VZ_SIGNATURE_BLOCK_SIZE];
    const uint64_t start = header->base + vz_signature_print(VZ_SIGNATURE_REDIRECT, block).size;
    *word = (vz_redirect_content){.is_own = is_own(file)};
    if (size > VZ_REDIRECT_MAX)
        return vz_fail(err, VZ_LIMIT, "a doorway of %llu bytes, more than the %d that it may have",
                       (unsigned long long)size, VZ_REDIRECT_MAX);
    if (start > size || !vz_os_file_read(file, start, text, (size_t)(size - start), err))
        return vz_fail(err, VZ_CORRUPT, "the doorway was cut off");
    vz_error broken = VZ_ERROR_NONE;
    vz_json *document = vz_json_parse((const char *)text, (size_t)(size - start), &broken);
    const bool ok = document ? take_word(document, word, err)
                    : broken.class == VZ_NO_MEMORY
                        ? vz_fail_memory(err)
                        : vz_fail(err, VZ_CORRUPT, "a doorway whose line is no JSON (%.200s)", broken.text);
    vz_json_free(document);
    return ok;
}

/* ---- where it leads ---- */

char *vz_redirect_resolve(const char *directory, const char *name, vz_error *err)
{
    char *path = NULL;
    if (asprintf(&path, "%s%s%s", *name == '/' ? "" : directory, *name == '/' ? "" : "/", name) < 0) {
        vz_fail_memory(err);
        return NULL;
    }
    char *real = vz_os_path_resolve_what_is_there(path, err);
    free(path);
    const vz_name_case said = {.by = VZ_NAMER_REDIRECT_FILE,
                               .doorways = anywhere_is_allowed ? VZ_DOORWAYS_ANYWHERE : VZ_DOORWAYS_BELOW};
    if (!real || vz_os_path_is_below(real, directory) || vz_name_decide(&said, VZ_TARGET_DISK) != VZ_REACH_REFUSED)
        return real;
    free(real);
    vz_fail(err, VZ_PERMISSION, "it does not lie below the doorway's own directory (option %s allows that)",
            vz_name_option(&said, VZ_TARGET_DISK));
    return NULL;
}
