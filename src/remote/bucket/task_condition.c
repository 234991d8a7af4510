/* task_condition.c - the condition of a change: as a header line, and what the answer says of
 * it. */
#include "remote/bucket/task_internal.h"

bool vz_task_check_change(vz_task *task, const vz_exchange *x, vz_error *err)
{
    bool missing;
    if (!vz_task_check(task, x, &missing, err))
        return false;
    if (!missing)
        return true;
    /* A condition on a value that is not there is answered so. */
    return task->request && task->request->when != VZ_WHEN_ANY
               ? vz_exchange_fail_changed(err)
               : vz_fail(err, VZ_IO, "the server has no such place (status 404)");
}

bool vz_task_condition(const vz_request *request, vz_exchange *x, vz_error *err)
{
    char text[VZ_ETAG_SIZE];
    if (!request || request->when == VZ_WHEN_ANY)
        return true;
    if (request->when == VZ_WHEN_ABSENT || request->version.size == 0)
        return vz_exchange_line(x, err, "If-None-Match: *");
    const char *etag = vz_remote_version_etag(&request->version, text);
    return etag ? vz_exchange_line(x, err, "If-Match: %s", etag)
                : vz_fail(err, VZ_UNSUPPORTED, "a version that the server cannot be asked for");
}
