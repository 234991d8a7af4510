/* model_check.c - what h5zarr check finds, in the model. */
#include "command/check/check.h"
#include "command/report/model_internal.h"
#include <stdio.h>

typedef struct findings {
    vz_json *lists[2]; /* notes, and what is wrong */
    uint64_t wrong, left;
    vz_error err;
} findings;

/* Under the report's lock. */
static void tell(void *context, vz_finding_kind kind, const char *object, const char *text)
{
    findings *of = context;
    const bool is_wrong = vz_finding_is_wrong(kind);
    vz_json *list = of->lists[is_wrong];
    of->wrong += is_wrong;
    if (vz_json_length(list) >= VZ_MODEL_FINDINGS_MAX) {
        of->left++;
        return;
    }
    vz_json *found = vz_json_object(&of->err);
    if (found && vz_describe_set_text(found, "label", vz_finding_label(kind), &of->err) &&
        vz_json_set(found, "wrong", vz_json_bool(is_wrong, &of->err), &of->err) &&
        vz_describe_set_text(found, "object", *object ? object : "/", &of->err) &&
        vz_describe_set_text(found, "text", text, &of->err))
        vz_json_append(list, found, &of->err);
    else
        vz_json_free(found);
}

static bool set_counts(vz_json *out, const vz_check *check, const findings *of, vz_error *err)
{
    char text[300], size[VZ_SAY_SIZE];
    snprintf(text, sizeof text, "%llu group%s, %llu array%s and %llu chunk%s were looked at%s%s.",
             (unsigned long long)check->groups, check->groups == 1 ? "" : "s", (unsigned long long)check->arrays,
             check->arrays == 1 ? "" : "s", (unsigned long long)check->chunks, check->chunks == 1 ? "" : "s",
             check->quick ? "; chunks were not read (--check reads them)" : ", chunks to their end: ",
             check->quick ? "" : vz_say_size(check->bytes, size));
    return vz_describe_set_text(out, "text", text, err) &&
           vz_json_set(out, "wrong", vz_json_uint64(of->wrong, err), err) &&
           vz_json_set(out, "left_out", vz_json_uint64(of->left, err), err);
}

static bool run(vz_model *m, vz_json *out, findings *of, vz_error *err)
{
    vz_error why = VZ_ERROR_NONE;
    vz_check check = {.quick = !m->request->reads_all};
    vz_report_begin(&check.report, m->request->path, false);
    check.report.tell = tell;
    check.report.context = of;
    const bool ran = vz_check_run(&check, m->request->path, &why);
    vz_report_drop(&check.report);
    m->wrong += of->wrong;
    if (of->err.class != VZ_OK || why.class == VZ_NO_MEMORY)
        return vz_fail_memory(err);
    if (!ran) {
        char text[sizeof why.text + 20];
        snprintf(text, sizeof text, "Not checked: %s", why.text);
        return vz_describe_set_text(out, "text", text, err);
    }
    return set_counts(out, &check, of, err);
}

static const char *refusal(const vz_model *m)
{
    if (!vz_sample_file_is_store(m->file))
        return "h5zarr check is for Zarr stores; this is an HDF5 file.";
    if (m->request->reads_all)
        return NULL;
    if (m->request->quick)
        return "Not checked (--quick).";
    if (m->left_nodes || m->has_unknown_chunks || m->chunks > VZ_MODEL_CHUNKS_MAX)
        return "Not checked, as the store is large: --check does it, and so does h5zarr check.";
    return NULL;
}

bool vz_model_check(vz_model *m, vz_json *model, vz_error *err)
{
    static const char *const keys[] = {"remarks", "findings"};
    const char *why_not = refusal(m);
    vz_json *out = vz_json_object(err);
    findings of = {.err = VZ_ERROR_NONE};
    bool ok = out && (!why_not || vz_describe_set_text(out, "text", why_not, err));
    for (int i = 0; ok && !why_not && i < 2; i++)
        ok = vz_json_set(out, keys[i], vz_json_array(err), err) && (of.lists[i] = vz_json_get(out, keys[i]));
    if (ok && (why_not || run(m, out, &of, err)))
        return vz_json_set(model, "check", out, err);
    vz_json_free(out);
    return false;
}
