/* options.c - one table makes the parser, the text form, the messages and the documentation. */
#include "util/options.h"
#include "util/strmap.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum option_type {
    OPTION_NUMBER, /* int64_t, min..max */
    OPTION_SIZE,   /* int64_t in bytes, min..max; K, M, G, T at its end multiply by 1024 ... */
    OPTION_SWITCH, /* bool */
    OPTION_CHOICE, /* an enum (int), the position in `words` */
    OPTION_WORD,   /* char[], one of `words` */
    OPTION_TEXT,   /* const char *, anything: kept until the process ends */
};

struct option_row {
    const char *name;
    enum option_type type;
    size_t offset;
    size_t room; /* of a char[] */
    int64_t min, max;
    const char *words[8];
    const char *standard; /* as it would be written */
    const char *sentence;
};

#define AT(field)   offsetof(vz_options, field)
#define ROOM(field) sizeof(((vz_options *)0)->field)

static const struct option_row rows[] = {
    {"format", OPTION_NUMBER, AT(format), .min = 2, .max = 3, .standard = "2",
     .sentence = "Zarr format of new stores."},
    {"dialect", OPTION_CHOICE, AT(dialect), .words = {"auto", "plain", "hdmf"}, .standard = "auto",
     .sentence = "Conventions of new stores: hdmf is what NWB files in Zarr use; auto finds out."},
    {"references", OPTION_CHOICE, AT(references), .words = {"json2", "pickle"}, .standard = "json2",
     .sentence = "Codec of references and of compounds with references in the hdmf dialect."},
    {"consolidated", OPTION_CHOICE, AT(consolidated), .words = {"auto", "use", "ignore"}, .standard = "auto",
     .sentence = "Whether consolidated metadata is used for reading; ignore does not write it either."},
    {"dims", OPTION_CHOICE, AT(dims), .words = {"auto", "always", "never"}, .standard = "auto",
     .sentence = "Which arrays get names of dimensions for xarray; auto is those with dimension scales or labels."},
    {"compress", OPTION_WORD, AT(compress), ROOM(compress), .words = {"auto", "blosc", "zstd", "zlib", "none"},
     .standard = "auto",
     .sentence = "Compressor of datasets in new stores that ask for no filter; auto is blosc, in format 3 zstd."},
    {"shards", OPTION_SIZE, AT(shards), .min = 0, .max = INT64_C(1) << 40, .standard = "0",
     .sentence = "Bytes of decoded data that new arrays of format 3 put into one shard; 0 is none."},
    {"threads", OPTION_NUMBER, AT(threads), .min = 0, .max = 256, .standard = "0",
     .sentence = "Threads that work on chunks; 0 is what the machine allows."},
    {"gateway", OPTION_SWITCH, AT(gateway), .standard = "1",
     .sentence = "Stand for native objects, so that calls of the HDF5 1.10 interface work."},
    {"locking", OPTION_SWITCH, AT(locking), .standard = "0",
     .sentence = "Lock the root's metadata file while a store is open."},
    {"follow_links", OPTION_SWITCH, AT(follow_links), .standard = "0",
     .sentence =
         "Change what lies behind symbolic links that lead out of the store, too; reading always follows them."},
    {"sync", OPTION_SWITCH, AT(sync), .standard = "0",
     .sentence = "A flush or close returns when the data is on the disk (fsync)."},
    {"skip_fill", OPTION_SWITCH, AT(skip_fill), .standard = "0",
     .sentence = "Do not store chunks that hold nothing but the fill value."},
    {"dirty_max", OPTION_SIZE, AT(dirty_max), .min = 0, .max = INT64_C(1) << 50, .standard = "64M",
     .sentence = "Bytes of unwritten data and metadata kept in memory before they are written."},
    {"document_ratio", OPTION_NUMBER, AT(document_ratio), .min = 1, .max = 1 << 20, .standard = "64",
     .sentence =
         "Times the size of a zip file that its metadata documents may take when they are read; 4 MiB are always "
         "allowed."},
    {"chunk_max", OPTION_SIZE, AT(chunk_max), .min = 0, .max = INT64_C(1) << 40, .standard = "4G",
     .sentence = "Bytes that a chunk may take in memory, decoded, where the array fills less than a 64th of it; others "
                 "may take 16 GiB."},
    {"container", OPTION_CHOICE, AT(container), .words = {"auto", "directory", "zip", "file"}, .standard = "auto",
     .sentence =
         "What a new store is; auto is a zip file for names that end with .zip, one file for programs that ask for "
         "a user block, else a directory."},
    {"doorways", OPTION_CHOICE, AT(doorways), .words = {"below", "anywhere"}, .standard = "below",
     .sentence = "Where a doorway, a file that names a store, may lead to: below the directory that it lies in, or "
                 "anywhere."},
    {"create", OPTION_TEXT, AT(create), .standard = "",
     .sentence =
         "File names that are created as Zarr stores: shell patterns on the last part of the path, separated by "
         "commas, each with a kind if wanted (`*.zarr,*.h5ad:file`); empty is all."},
};
#define ROW_COUNT (sizeof rows / sizeof *rows)

static void *field_of(vz_options *options, const struct option_row *row)
{
    return (char *)options + row->offset;
}

static const void *const_field_of(const vz_options *options, const struct option_row *row)
{
    return (const char *)options + row->offset;
}

/* ---- what a row says about itself ---- */

static bool describe_values(const struct option_row *row, vz_buffer *out, vz_error *err)
{
    switch (row->type) {
    case OPTION_NUMBER:
        return vz_buffer_printf(out, err, "%" PRId64 " to %" PRId64, row->min, row->max);
    case OPTION_SIZE:
        return vz_buffer_printf(out, err, "bytes, or with K, M, G, T");
    case OPTION_SWITCH:
        return vz_buffer_printf(out, err, "0 or 1");
    case OPTION_TEXT:
        return vz_buffer_printf(out, err, "text");
    default:
        break;
    }
    for (size_t i = 0; row->words[i]; i++)
        if (!vz_buffer_printf(out, err, "%s%s", i ? ", " : "", row->words[i]))
            return false;
    return true;
}

static void list_names(char *text, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < ROW_COUNT && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", rows[i].name);
}

static bool wrong_value(const struct option_row *row, const char *value, vz_error *err)
{
    char known[256];
    list_names(known, sizeof known);
    vz_buffer values = {0};
    if (!describe_values(row, &values, err)) {
        vz_buffer_clear(&values);
        return false;
    }
    vz_fail(err, VZ_INVALID, "option %s: \"%.60s\" is not what it takes (%.*s); known options: %s", row->name, value,
            (int)values.size, (const char *)values.data, known);
    vz_buffer_clear(&values);
    return false;
}

static bool wrong_name(const char *name, vz_error *err)
{
    char known[256];
    list_names(known, sizeof known);
    return vz_fail(err, VZ_INVALID, "unknown option \"%.60s\"; known options: %s", name, known);
}

/* ---- from text ---- */

static unsigned size_shift(const char *unit)
{
    static const char units[] = "KMGT";
    const char *found = *unit ? strchr(units, toupper((unsigned char)*unit)) : NULL;
    return found ? 10 * (unsigned)(found - units + 1) : 0;
}

static bool parse_number(const struct option_row *row, const char *text, int64_t *out)
{
    if (!isdigit((unsigned char)text[0]))
        return false;
    char *end;
    errno = 0;
    int64_t number = strtoll(text, &end, 10);
    const unsigned shift = row->type == OPTION_SIZE ? size_shift(end) : 0;
    if (errno || end[shift > 0] != '\0' || number > row->max >> shift)
        return false;
    number <<= shift;
    if (number < row->min)
        return false;
    *out = number;
    return true;
}

static bool parse_switch(const char *text, bool *out)
{
    static const char *const words[] = {"0", "1", "false", "true", "no", "yes", "off", "on"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcasecmp(text, words[i]) != 0)
            continue;
        *out = i % 2;
        return true;
    }
    return false;
}

/* The position of the word, or -1. */
static int word_index(const struct option_row *row, const char *text)
{
    for (int i = 0; row->words[i]; i++)
        if (strcmp(row->words[i], text) == 0)
            return i;
    return -1;
}

static bool parse_word(const struct option_row *row, const char *text, char *out)
{
    if (strlen(text) >= row->room)
        return false;
    memset(out, 0, row->room);
    memcpy(out, text, strlen(text));
    return true;
}

/* A list of options is copied freely, and HDF5 keeps some for long: so each text that was ever given is kept once. */
static const char *keep_text(const char *text)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static vz_strmap *kept;
    if (!*text)
        return "";
    pthread_mutex_lock(&lock);
    if (!kept)
        kept = vz_strmap_new();
    char *found = kept ? vz_strmap_get(kept, text) : NULL;
    if (kept && !found && (found = strdup(text)) && !vz_strmap_put(kept, text, found, NULL)) {
        free(found);
        found = NULL;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static bool take_text(const char *text, const char **out)
{
    const char *kept = keep_text(text);
    if (kept)
        *out = kept;
    return kept;
}

static bool parse_choice(const struct option_row *row, const char *text, void *field)
{
    const int index = word_index(row, text);
    if (index < 0)
        return false;
    const unsigned value = (unsigned)index;
    memcpy(field, &value, sizeof value);
    return true;
}

static bool parse_value(const struct option_row *row, const char *text, vz_options *options)
{
    void *field = field_of(options, row);
    switch (row->type) {
    case OPTION_NUMBER:
    case OPTION_SIZE:
        return parse_number(row, text, field);
    case OPTION_SWITCH:
        return parse_switch(text, field);
    case OPTION_CHOICE:
        return parse_choice(row, text, field);
    case OPTION_WORD:
        return word_index(row, text) >= 0 && parse_word(row, text, field);
    case OPTION_TEXT:
        return take_text(text, field);
    }
    return false;
}

static const struct option_row *find_row(const char *name)
{
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

static char *trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t length = strlen(text);
    while (length && isspace((unsigned char)text[length - 1]))
        length--;
    text[length] = '\0';
    return text;
}

/* One "key=value"; nothing but blanks is fine. */
static bool parse_assignment(char *text, vz_options *options, vz_error *err)
{
    char *name = trim(text);
    if (!*name)
        return true;
    char *equals = strchr(name, '=');
    char *value = equals ? trim(equals + 1) : NULL;
    if (equals)
        *equals = '\0';
    const struct option_row *row = find_row(trim(name));
    if (!row)
        return wrong_name(name, err);
    if (!value || !parse_value(row, value, options))
        return wrong_value(row, value ? value : "", err);
    return true;
}

bool vz_options_parse(vz_options *options, const char *text, vz_error *err)
{
    char *copy = strdup(text ? text : "");
    if (!copy)
        return vz_fail_memory(err);
    vz_options changed = *options; /* all or nothing */
    bool ok = true;
    char *rest = copy;
    for (char *part = strsep(&rest, ";"); part && ok; part = strsep(&rest, ";"))
        ok = parse_assignment(part, &changed, err);
    free(copy);
    if (ok)
        *options = changed;
    return ok;
}

/* ---- defaults and environment ---- */

static void set_standards(vz_options *options)
{
    *options = (vz_options){0};
    for (size_t i = 0; i < ROW_COUNT; i++)
        parse_value(&rows[i], rows[i].standard, options);
}

static const char *environment_value(const struct option_row *row)
{
    char name[64] = "VOL_ZARR_";
    size_t at = strlen(name);
    for (const char *p = row->name; *p && at + 1 < sizeof name; p++)
        name[at++] = (char)toupper((unsigned char)*p);
    return getenv(name);
}

bool vz_options_init(vz_options *options, vz_error *err)
{
    set_standards(options);
    bool ok = true;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const char *value = environment_value(&rows[i]);
        if (value && !parse_value(&rows[i], value, options))
            ok = wrong_value(&rows[i], value, err);
    }
    return ok;
}

/* ---- to text ---- */

static bool print_value(const struct option_row *row, const vz_options *options, vz_buffer *out, vz_error *err)
{
    const void *field = const_field_of(options, row);
    unsigned choice;
    switch (row->type) {
    case OPTION_NUMBER:
    case OPTION_SIZE:
        return vz_buffer_printf(out, err, "%" PRId64, *(const int64_t *)field);
    case OPTION_SWITCH:
        return vz_buffer_printf(out, err, "%d", *(const bool *)field);
    case OPTION_CHOICE:
        memcpy(&choice, field, sizeof choice);
        return vz_buffer_printf(out, err, "%s", row->words[choice]);
    case OPTION_WORD:
        return vz_buffer_printf(out, err, "%s", (const char *)field);
    case OPTION_TEXT:
        if (strchr(*(const char *const *)field, ';'))
            return vz_fail(err, VZ_INVALID, "option %s: a value with ';' has no text form", row->name);
        return vz_buffer_printf(out, err, "%s", *(const char *const *)field);
    }
    return false;
}

static bool same_value(const struct option_row *row, const vz_options *a, const vz_options *b)
{
    const void *x = const_field_of(a, row), *y = const_field_of(b, row);
    if (row->type == OPTION_WORD)
        return strcmp(x, y) == 0;
    if (row->type == OPTION_TEXT)
        return strcmp(*(const char *const *)x, *(const char *const *)y) == 0;
    const size_t size = row->type == OPTION_SWITCH   ? sizeof(bool)
                        : row->type == OPTION_CHOICE ? sizeof(int)
                                                     : sizeof(int64_t);
    return memcmp(x, y, size) == 0;
}

char *vz_options_print(const vz_options *options, vz_error *err)
{
    vz_options standards;
    set_standards(&standards);
    vz_buffer out = {0};
    bool ok = true;
    for (size_t i = 0; i < ROW_COUNT && ok; i++) {
        if (same_value(&rows[i], options, &standards))
            continue;
        ok = vz_buffer_printf(&out, err, "%s%s=", out.size ? ";" : "", rows[i].name) &&
             print_value(&rows[i], options, &out, err);
    }
    if (ok && vz_buffer_append(&out, "", 1, err))
        return (char *)out.data;
    vz_buffer_clear(&out);
    return NULL;
}

bool vz_options_describe(vz_buffer *out, vz_error *err)
{
    if (!vz_buffer_printf(out, err, "| option | values | default | meaning |\n|---|---|---|---|\n"))
        return false;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const struct option_row *row = &rows[i];
        if (!vz_buffer_printf(out, err, "| `%s` | ", row->name) || !describe_values(row, out, err) ||
            !vz_buffer_printf(out, err, " | %s | %s |\n", *row->standard ? row->standard : "(empty)", row->sentence))
            return false;
    }
    return true;
}
