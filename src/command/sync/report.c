/* report.c - what a run did, in words and in JSON. */
#include "command/sync/sync_internal.h"

const char *vz_sync_way_word(vz_sync_way way)
{
    static const char *const words[] = {[VZ_SYNC_SAME] = "same", [VZ_SYNC_NEW] = "new",    [VZ_SYNC_SIZE] = "size",
                                        [VZ_SYNC_SUM] = "bytes", [VZ_SYNC_LOOK] = "bytes", [VZ_SYNC_HASH] = "bytes"};
    return words[way];
}

static bool fill_change(vz_json *object, const char *action, const char *key, const char *why, vz_error *err)
{
    return vz_describe_set_text(object, "action", action, err) && vz_describe_set_text(object, "key", key, err) &&
           vz_describe_set_text(object, "why", why, err);
}

static void print_change_json(vz_sync *run, const char *action, const char *key, const char *why)
{
    vz_error err = VZ_ERROR_NONE;
    vz_buffer text = {0};
    vz_json *object = vz_json_object(&err);
    if (object && fill_change(object, action, key, why, &err) && vz_json_print(object, 0, &text, &err))
        printf("%s\n  %.*s", run->has_printed ? "," : "", (int)text.size, (const char *)text.data);
    run->has_printed = true;
    vz_buffer_clear(&text);
    vz_json_free(object);
}

/* Only a run that writes nothing tells each key. */
void vz_sync_print_change(vz_sync *run, const char *action, const char *key, const char *why)
{
    if (!run->request->dry_run)
        return;
    run->counts.copied += strcmp(action, "copy") == 0;
    vz_progress_hide(run->progress);
    if (run->request->json) {
        print_change_json(run, action, key, why);
    } else if (!run->request->quiet) {
        printf("%s ", action);
        vz_say_text(stdout, key);
        printf(" (%s)\n", why);
    }
}

/* ---- the end ---- */

static bool fill(vz_json *object, vz_sync *run, bool ok, vz_error *err)
{
    const vz_sync_counts *counts = &run->counts;
    const struct {
        const char *key;
        uint64_t value;
    } numbers[] = {{"values", counts->values},   {"bytes", counts->bytes},
                   {"copied", counts->copied},   {"copied_bytes", counts->copied_size},
                   {"deleted", counts->deleted}, {"only_in_target", counts->only_in_target},
                   {"rounds", counts->rounds}};
    const char *done = !ok ? "failed" : run->request->dry_run ? "nothing" : run->has_begun ? "copied" : "equal";
    bool is_set = vz_describe_set_text(object, "source", run->request->source, err) &&
                  vz_describe_set_text(object, "target", run->request->target, err) &&
                  vz_describe_set_text(object, "done", done, err);
    for (size_t i = 0; is_set && i < sizeof numbers / sizeof *numbers; i++)
        is_set = vz_json_set(object, numbers[i].key, vz_json_uint64(numbers[i].value, err), err);
    return is_set && vz_json_set(object, "resumed", vz_json_bool(counts->resumed, err), err);
}

/* In a run that writes nothing the list of changes was printed before it. */
static void print_json(vz_sync *run, bool ok)
{
    vz_error err = VZ_ERROR_NONE;
    vz_buffer text = {0};
    vz_json *object = vz_json_object(&err);
    if (object && fill(object, run, ok, &err) && vz_json_print(object, 0, &text, &err)) {
        if (run->request->dry_run)
            printf("%s],\"summary\":%.*s}\n", run->has_printed ? "\n" : "", (int)text.size, (const char *)text.data);
        else
            printf("%.*s\n", (int)text.size, (const char *)text.data);
    } else {
        vz_say_failure(&err, run->request->target);
    }
    vz_buffer_clear(&text);
    vz_json_free(object);
}

static void print_count(const char *before, uint64_t count, const char *what)
{
    printf("%s%llu %s%s", before, (unsigned long long)count, what, count == 1 ? "" : "s");
}

static void print_text(vz_sync *run)
{
    const vz_sync_counts *counts = &run->counts;
    char size[VZ_SAY_SIZE];
    vz_say_text(stdout, run->request->target);
    print_count(": ", counts->values, "value");
    printf(", %s", vz_say_size(counts->bytes, size));
    if (run->request->dry_run)
        print_count(", ", counts->copied, "value");
    if (run->request->dry_run)
        printf(" to copy");
    else if (run->has_begun)
        printf(", %llu copied (%s)", (unsigned long long)counts->copied, vz_say_size(counts->copied_size, size));
    else
        printf(", nothing to do");
    if (counts->deleted)
        printf(run->request->dry_run ? ", %llu to delete" : ", %llu deleted", (unsigned long long)counts->deleted);
    if (counts->only_in_target)
        printf(", %llu only in the target (--delete removes them)", (unsigned long long)counts->only_in_target);
    if (counts->rounds > 1)
        printf(", %u rounds", counts->rounds);
    printf("\n");
}

vz_exit vz_sync_print_end(vz_sync *run, bool ok, const vz_error *failed)
{
    if (run->request->json)
        print_json(run, ok);
    else if (ok && !run->request->quiet)
        print_text(run);
    return ok ? VZ_EXIT_FINE : vz_say_failure(failed, run->request->target);
}
