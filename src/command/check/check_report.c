/* check_report.c - findings as lines of text, or as members of one JSON object. */
#include "command/check/check_internal.h"
#include "command/command/command.h"
#include <stdarg.h>

#define TEXT_SIZE   1024
#define NOTES_SHOWN 20 /* of one kind that is not wrong, on paper; JSON has all */

static const struct kind {
    const char *word, *label;
    bool wrong;
    const char *repair; /* what h5zarr repair can do: "yes", "no", or an option of it */
} kinds[] = {
    [VZ_FINDING_STORE] = {"store", "damaged store", true, "no"},
    [VZ_FINDING_DOCUMENT] = {"document", "damaged document", true, "no"},
    [VZ_FINDING_CHUNK] = {"chunk", "damaged chunk", true, "no"},
    [VZ_FINDING_VALUE] = {"value", "damaged value", true, "no"},
    [VZ_FINDING_OUTSIDE] = {"outside", "chunk outside of its array", true, "--outside"},
    [VZ_FINDING_REFERENCE] = {"reference", "leads nowhere", true, "no"},
    [VZ_FINDING_COPY] = {"copy", "stale consolidated metadata", true, "yes"},
    [VZ_FINDING_LEFTOVER] = {"leftover", "left over", true, "yes"},
    [VZ_FINDING_LINK] = {"link", "note: link leads nowhere", false, "no"},
    [VZ_FINDING_UNFINISHED] = {"unfinished", "note: unfinished", false, "no"},
    [VZ_FINDING_LACKS] = {"lacks", "note: consolidated metadata lacks", false, "no"},
    [VZ_FINDING_FOREIGN] = {"foreign", "note: no part of the store", false, "no"},
    [VZ_FINDING_UNJUDGED] = {"unjudged", "note: not checked", false, "no"},
    [VZ_FINDING_DIMENSION] = {"dimension", "note: dimensions disagree", false, "no"},
    [VZ_FINDING_EARLIER] = {"earlier", "note: form of an earlier version", false, "yes"},
    [VZ_FINDING_SPACE] = {"space", "note: unused space", false, "no"},
};

bool vz_finding_is_wrong(vz_finding_kind kind)
{
    return kinds[kind].wrong;
}

const char *vz_finding_label(vz_finding_kind kind)
{
    return kinds[kind].label;
}

void vz_report_begin(vz_report *report, const char *store, bool json)
{
    *report = (vz_report){.json = json, .store = store};
    vz_os_mutex_init(&report->lock);
}

void vz_report_drop(vz_report *report)
{
    vz_progress_end(report->progress);
    report->progress = NULL;
    vz_os_mutex_destroy(&report->lock);
}

/* The number of findings that are faults. */
static uint64_t report_wrong(const vz_report *report)
{
    uint64_t wrong = 0;
    for (int kind = 0; kind < VZ_FINDING_KINDS; kind++)
        wrong += kinds[kind].wrong ? report->counts[kind] : 0;
    return wrong;
}

static void print_text(const vz_report *report, vz_finding_kind kind, const char *object, const char *text)
{
    if (!kinds[kind].wrong && report->counts[kind] > NOTES_SHOWN)
        return;
    printf("%s%s%s: ", vz_say_colour(kinds[kind].wrong ? VZ_COLOUR_BAD : VZ_COLOUR_FAINT), kinds[kind].label,
           vz_say_colour(VZ_COLOUR_PLAIN));
    vz_say_text(stdout, *object ? object : "/");
    printf(": ");
    vz_say_text(stdout, text);
    putchar('\n');
}

static bool fill(vz_json *object, vz_finding_kind kind, const char *key, const uint64_t *chunk, unsigned rank,
                 const char *text)
{
    return vz_describe_set_text(object, "kind", kinds[kind].word, NULL) &&
           vz_json_set(object, "wrong", vz_json_bool(kinds[kind].wrong, NULL), NULL) &&
           vz_describe_set_text(object, "repair", kinds[kind].repair, NULL) &&
           vz_describe_set_text(object, "object", key, NULL) &&
           (!chunk || vz_json_set(object, "chunk", vz_meta_print_sizes(chunk, rank, NULL), NULL)) &&
           vz_describe_set_text(object, "text", text, NULL);
}

static void print_json(vz_report *report, vz_finding_kind kind, const char *key, const uint64_t *chunk, unsigned rank,
                       const char *text)
{
    vz_buffer out = {0};
    vz_json *object = vz_json_object(NULL);
    if (object && fill(object, kind, key, chunk, rank, text) && vz_json_print(object, 0, &out, NULL))
        printf("%s\n  %.*s", report->printed++ ? "," : "{\"findings\":[", (int)out.size, (const char *)out.data);
    vz_buffer_clear(&out);
    vz_json_free(object);
}

static void find(vz_report *report, vz_finding_kind kind, const char *key, const uint64_t *chunk, unsigned rank,
                 const char *text)
{
    vz_os_mutex_lock(&report->lock);
    report->counts[kind]++;
    vz_progress_hide(report->progress);
    if (report->tell)
        report->tell(report->context, kind, key, text);
    else if (report->json)
        print_json(report, kind, key, chunk, rank, text);
    else
        print_text(report, kind, key, text);
    vz_os_mutex_unlock(&report->lock);
}

void vz_report_find(vz_report *report, vz_finding_kind kind, const char *object, const char *format, ...)
{
    char text[TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    find(report, kind, object, NULL, 0, text);
}

void vz_report_find_chunk(vz_report *report, const char *array, const char *key, const uint64_t *chunk, unsigned rank,
                          const vz_error *why)
{
    char path[TEXT_SIZE];
    snprintf(path, sizeof path, "%s%s%s", array, *array ? "/" : "", key);
    find(report, VZ_FINDING_CHUNK, path, chunk, rank, why->text);
}

static vz_json *counts_of(const vz_report *report)
{
    vz_json *object = vz_json_object(NULL);
    for (int kind = 0; object && kind < VZ_FINDING_KINDS; kind++)
        if (report->counts[kind] &&
            !vz_json_set(object, kinds[kind].word, vz_json_uint64(report->counts[kind], NULL), NULL))
            break;
    return object;
}

static void end_json(const vz_report *report, vz_json *members, uint64_t wrong)
{
    vz_buffer out = {0};
    vz_json *sum = members ? members : vz_json_object(NULL);
    if (sum && vz_describe_set_text(sum, "store", report->store, NULL) &&
        vz_json_set(sum, "counts", counts_of(report), NULL) &&
        vz_json_set(sum, "wrong", vz_json_uint64(wrong, NULL), NULL) && vz_json_print(sum, 0, &out, NULL))
        printf("%s],\n %.*s\n", report->printed ? "\n" : "{\"findings\":[", (int)out.size - 1,
               (const char *)out.data + 1);
    vz_buffer_clear(&out);
    vz_json_free(sum);
}

static void end_text(const vz_report *report, const char *line, uint64_t wrong)
{
    for (int kind = 0; kind < VZ_FINDING_KINDS; kind++)
        if (!kinds[kind].wrong && report->counts[kind] > NOTES_SHOWN)
            printf("%s: and %llu more\n", kinds[kind].label, (unsigned long long)(report->counts[kind] - NOTES_SHOWN));
    vz_say_text(stdout, report->store);
    printf(": %s: ", line);
    if (wrong)
        printf("%s%llu found%s\n", vz_say_colour(VZ_COLOUR_BAD), (unsigned long long)wrong,
               vz_say_colour(VZ_COLOUR_PLAIN));
    else
        printf("%snothing is wrong%s\n", vz_say_colour(VZ_COLOUR_GOOD), vz_say_colour(VZ_COLOUR_PLAIN));
}

vz_exit vz_report_end(vz_report *report, vz_json *members, const char *line)
{
    const uint64_t wrong = report_wrong(report);
    vz_progress_end(report->progress);
    report->progress = NULL;
    if (report->json) {
        end_json(report, members, wrong);
    } else {
        end_text(report, line, wrong);
        vz_json_free(members);
    }
    vz_os_mutex_destroy(&report->lock);
    return wrong ? VZ_EXIT_FAILED : VZ_EXIT_FINE;
}
