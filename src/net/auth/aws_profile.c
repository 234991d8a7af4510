/* aws_profile.c - AWS's files with profiles, line by line. Messages name a bad line by its number
 * alone, since it may contain secrets. */
#include "net/auth/settings_internal.h"
#include "net/http/http.h"
#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

/* Where a section stands: the lower rank counts. */
enum rank { RANK_CREDENTIALS, RANK_CONFIG, RANK_CONFIG_BARE };

typedef struct section {
    char *name;
    vz_auth_section kind;
    enum rank rank;
} section;

typedef struct setting {
    size_t section;
    char *name, *value;
} setting;

struct vz_profiles {
    uint8_t identity[VZ_PROFILES_IDENTITY_SIZE]; /* hashes of both texts */
    section *sections;
    setting *settings;
    size_t section_count, section_room, setting_count, setting_room;
};

typedef struct reader {
    vz_profiles *profiles;
    const char *file; /* for messages */
    bool is_config;
    size_t line;
    bool in_section;   /* one that is kept */
    bool is_ignored;   /* one of no kind that is known */
    bool has_setting;  /* an indented line goes on with it */
    bool is_nested;    /* it has no value of its own */
    size_t outer_size; /* bytes of its name */
} reader;

/* ---- the sections and settings ---- */

/* Reserves space for one more item; the items are pointers, no secrets. */
static bool grow(void **items, size_t count, size_t *room, size_t size, vz_error *err)
{
    if (count < *room)
        return true;
    const size_t wanted = *room ? 2 * *room : 16;
    void *more = realloc(*items, wanted * size);
    if (!more)
        return vz_fail_memory(err);
    *items = more;
    *room = wanted;
    return true;
}

static char *copy_text(const char *text, size_t size, vz_error *err)
{
    char *copy = malloc(size + 1);
    if (!copy) {
        vz_fail_memory(err);
        return NULL;
    }
    memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

static bool add_section(vz_profiles *p, vz_auth_section kind, enum rank rank, const char *name, size_t size,
                        vz_error *err)
{
    void *items = p->sections;
    const bool ok = grow(&items, p->section_count, &p->section_room, sizeof *p->sections, err);
    p->sections = items;
    char *copy = ok ? copy_text(name, size, err) : NULL;
    if (copy)
        p->sections[p->section_count++] = (section){copy, kind, rank};
    return copy;
}

static bool add_setting(vz_profiles *p, char *name, char *value, vz_error *err)
{
    void *items = p->settings;
    const bool ok = name && value && grow(&items, p->setting_count, &p->setting_room, sizeof *p->settings, err);
    p->settings = items;
    if (ok) {
        p->settings[p->setting_count++] = (setting){p->section_count - 1, name, value};
        return true;
    }
    free(name);
    vz_secret_free(value);
    return false;
}

void vz_profiles_free(vz_profiles *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->section_count; i++)
        free(p->sections[i].name);
    for (size_t i = 0; i < p->setting_count; i++) {
        free(p->settings[i].name);
        vz_secret_free(p->settings[i].value);
    }
    free(p->sections);
    free(p->settings);
    free(p);
}

static bool is_section(const section *s, vz_auth_section kind, const char *name)
{
    return s->kind == kind && strcmp(s->name, name) == 0;
}

bool vz_profiles_has(const vz_profiles *p, vz_auth_section kind, const char *name)
{
    for (size_t i = 0; i < p->section_count; i++)
        if (is_section(&p->sections[i], kind, name))
            return true;
    return false;
}

const char *vz_profiles_get(const vz_profiles *p, vz_auth_section kind, const char *name, const char *wanted)
{
    bool bare_counts = true;
    for (size_t i = 0; i < p->section_count; i++)
        if (is_section(&p->sections[i], kind, name) && p->sections[i].rank == RANK_CONFIG)
            bare_counts = false;
    const setting *best = NULL;
    for (size_t i = 0; i < p->setting_count; i++) {
        const setting *s = &p->settings[i];
        const section *in = &p->sections[s->section];
        if (!is_section(in, kind, name) || strcmp(s->name, wanted) != 0 ||
            (in->rank == RANK_CONFIG_BARE && !bare_counts))
            continue;
        if (!best || in->rank <= p->sections[best->section].rank) /* of equals the last one */
            best = s;
    }
    return best ? best->value : NULL;
}

/* ---- lines ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static void trim(const char **text, size_t *size)
{
    while (*size && is_blank(**text))
        (*text)++, (*size)--;
    while (*size && is_blank((*text)[*size - 1]))
        (*size)--;
}

static bool bad_line(const reader *r, const char *what, vz_error *err)
{
    return vz_fail(err, VZ_INVALID, "%s: line %zu %s", r->file, r->line, what);
}

/* "word name", where the name may stand in quotes. */
static bool takes_word(const char **text, size_t *size, const char *word)
{
    const size_t length = strlen(word);
    if (*size <= length || memcmp(*text, word, length) != 0 || !is_blank((*text)[length]))
        return false;
    *text += length;
    *size -= length;
    trim(text, size);
    if (*size >= 2 && (**text == '"' || **text == '\'') && (*text)[*size - 1] == **text)
        (*text)++, *size -= 2;
    return true;
}

/* Takes the name between the brackets. */
static bool take_section(reader *r, const char *text, size_t size, vz_error *err)
{
    vz_auth_section kind = VZ_SECTION_PROFILE;
    enum rank rank = r->is_config ? RANK_CONFIG : RANK_CREDENTIALS;
    trim(&text, &size);
    r->has_setting = false;
    r->is_ignored = false;
    if (!size)
        return bad_line(r, "has a section without a name", err);
    if (r->is_config && !takes_word(&text, &size, "profile")) {
        if (takes_word(&text, &size, "sso-session"))
            kind = VZ_SECTION_SSO_SESSION;
        else if (takes_word(&text, &size, "services"))
            kind = VZ_SECTION_SERVICES;
        else if (size == 7 && memcmp(text, "default", 7) == 0)
            rank = RANK_CONFIG_BARE;
        else
            r->is_ignored = true;
    }
    r->in_section = true;
    return r->is_ignored || add_section(r->profiles, kind, rank, text, size, err);
}

/* A comment in a line begins behind a blank. */
static size_t without_comment(const char *text, size_t size)
{
    for (size_t i = 1; i < size; i++)
        if ((text[i] == '#' || text[i] == ';') && is_blank(text[i - 1]))
            return i;
    return size;
}

/* outer.inner, or name; in lower case. */
static char *print_name(const reader *r, bool nested, const char *name, size_t size, vz_error *err)
{
    const setting *outer = nested ? &r->profiles->settings[r->profiles->setting_count - 1] : NULL;
    const size_t before = nested ? r->outer_size + 1 : 0;
    char *text = malloc(before + size + 1);
    if (!text) {
        vz_fail_memory(err);
        return NULL;
    }
    if (nested) {
        memcpy(text, outer->name, r->outer_size);
        text[r->outer_size] = '.';
    }
    for (size_t i = 0; i < size; i++)
        text[before + i] = (char)tolower((unsigned char)name[i]);
    text[before + size] = '\0';
    return text;
}

/* "name = value". A command line keeps what looks like a comment. */
static bool take_setting(reader *r, bool nested, const char *text, size_t size, vz_error *err)
{
    static const char command[] = "credential_process";
    const char *equals = memchr(text, '=', size), *value = equals ? equals + 1 : NULL;
    size_t name_size = equals ? (size_t)(equals - text) : 0;
    trim(&text, &name_size);
    if (!equals || !name_size)
        return bad_line(r, "is no setting", err);
    size_t value_size = size - (size_t)(value - text);
    if (name_size != sizeof command - 1 || strncasecmp(text, command, name_size) != 0)
        value_size = without_comment(value, value_size);
    trim(&value, &value_size);
    char *name = print_name(r, nested, text, name_size, err);
    char *copy = name ? copy_text(value, value_size, err) : NULL;
    if (!add_setting(r->profiles, name, copy, err))
        return false;
    if (!nested) {
        r->has_setting = true;
        r->is_nested = value_size == 0;
        r->outer_size = name_size;
    }
    return true;
}

/* An indented line goes on with the value before it. */
static bool take_more(reader *r, const char *text, size_t size, vz_error *err)
{
    setting *last = &r->profiles->settings[r->profiles->setting_count - 1];
    const size_t before = strlen(last->value);
    char *longer = malloc(before + size + 2);
    if (!longer)
        return vz_fail_memory(err);
    memcpy(longer, last->value, before);
    longer[before] = '\n';
    memcpy(longer + before + 1, text, size);
    longer[before + 1 + size] = '\0';
    vz_secret_free(last->value);
    last->value = longer;
    return true;
}

static bool take_line(reader *r, const char *text, size_t size, vz_error *err)
{
    const bool indented = size && is_blank(*text);
    trim(&text, &size);
    if (!size || *text == '#' || *text == ';')
        return true;
    if (memchr(text, '\0', size))
        return bad_line(r, "has a byte 0", err);
    if (*text == '[' && !indented) {
        const char *end = memchr(text, ']', size);
        return end ? take_section(r, text + 1, (size_t)(end - text) - 1, err)
                   : bad_line(r, "begins a section and does not end it", err);
    }
    if (!r->in_section)
        return bad_line(r, "stands before the first section", err);
    if (r->is_ignored)
        return true;
    if (!indented || !r->has_setting)
        return take_setting(r, false, text, size, err);
    return r->is_nested ? take_setting(r, true, text, size, err) : take_more(r, text, size, err);
}

static bool take_file(vz_profiles *profiles, const char *file, bool is_config, vz_bytes text, vz_error *err)
{
    reader r = {.profiles = profiles, .file = file, .is_config = is_config};
    const char *at = (const char *)text.data, *end = at + text.size;
    if (text.size >= 3 && memcmp(at, "\xEF\xBB\xBF", 3) == 0)
        at += 3;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *line_end = newline ? newline : end;
        size_t size = (size_t)(line_end - at);
        r.line++;
        if (size && at[size - 1] == '\r')
            size--;
        if (!take_line(&r, at, size, err))
            return false;
        at = newline ? newline + 1 : end;
    }
    return true;
}

/* ---- whole ---- */

static vz_profiles *parse(const char *credentials_name, vz_bytes credentials, const char *config_name, vz_bytes config,
                          vz_error *err)
{
    vz_profiles *profiles = calloc(1, sizeof *profiles);
    if (!profiles) {
        vz_fail_memory(err);
        return NULL;
    }
    if (vz_sha256(config, profiles->identity, err) &&
        vz_sha256(credentials, profiles->identity + VZ_SHA256_SIZE, err) &&
        take_file(profiles, config_name, true, config, err) &&
        take_file(profiles, credentials_name, false, credentials, err))
        return profiles;
    vz_profiles_free(profiles);
    return NULL;
}

const uint8_t *vz_profiles_identity(const vz_profiles *profiles)
{
    return profiles->identity;
}

vz_profiles *vz_profiles_parse(vz_bytes credentials, vz_bytes config, vz_error *err)
{
    return parse("credentials", credentials, "config", config, err);
}

vz_profiles *vz_profiles_load(const char *credentials_path, const char *config_path, vz_error *err)
{
    vz_buffer credentials = {0}, config = {0};
    vz_profiles *profiles = NULL;
    if (vz_auth_secret_file_read(credentials_path, VZ_PROFILE_FILE_MAX, &credentials, err) != VZ_SECRET_FILE_FAILED &&
        vz_auth_secret_file_read(config_path, VZ_PROFILE_FILE_MAX, &config, err) != VZ_SECRET_FILE_FAILED)
        profiles = parse(credentials_path, (vz_bytes){credentials.data, credentials.size}, config_path,
                         (vz_bytes){config.data, config.size}, err);
    vz_secret_clear(&credentials);
    vz_secret_clear(&config);
    return profiles;
}
