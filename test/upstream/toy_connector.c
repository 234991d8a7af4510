/* A connector that shares no code with anybody's: it opens files whose name ends in ".toy", as empty, and knows nothing
 * else. */
#include <H5PLextern.h>
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

static int is_toy(const char *name)
{
    const size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".toy") == 0;
}

static void *file_open(const char *name, unsigned flags, hid_t fapl, hid_t dxpl, void **request)
{
    (void)flags, (void)fapl, (void)dxpl, (void)request;
    return is_toy(name) ? malloc(1) : NULL;
}

static herr_t file_specific(void *object, H5VL_file_specific_args_t *args, hid_t dxpl, void **request)
{
    (void)object, (void)dxpl, (void)request;
    if (args->op_type != H5VL_FILE_IS_ACCESSIBLE)
        return args->op_type == H5VL_FILE_FLUSH ? 0 : -1;
    *args->args.is_accessible.accessible = is_toy(args->args.is_accessible.filename);
    return 0;
}

static herr_t file_close(void *file, hid_t dxpl, void **request)
{
    (void)dxpl, (void)request;
    free(file);
    return 0;
}

static herr_t conn_cls(void *object, H5VL_get_conn_lvl_t level, const H5VL_class_t **class);
static herr_t cap_flags(const void *info, uint64_t *flags)
{
    (void)info;
    *flags = H5VL_CAP_FLAG_FILE_BASIC;
    return 0;
}

static herr_t opt_query(void *object, H5VL_subclass_t subclass, int operation, uint64_t *flags)
{
    (void)object, (void)subclass, (void)operation;
    *flags = 0;
    return 0;
}

static const H5VL_class_t toy = {
    .version = H5VL_VERSION,
    .value = 444,
    .name = "toy",
    .cap_flags = H5VL_CAP_FLAG_FILE_BASIC,
    .file_cls = {.open = file_open, .specific = file_specific, .close = file_close},
    .introspect_cls = {.get_conn_cls = conn_cls, .get_cap_flags = cap_flags, .opt_query = opt_query},
};

static herr_t conn_cls(void *object, H5VL_get_conn_lvl_t level, const H5VL_class_t **class)
{
    (void)object, (void)level;
    *class = &toy;
    return 0;
}

H5PL_type_t H5PLget_plugin_type(void)
{
    return H5PL_TYPE_VOL;
}

const void *H5PLget_plugin_info(void)
{
    return &toy;
}
