/* convention_writer.c - the writers, one a row. */
#include "hdf5/dialects/dialects_internal.h"
#include "hdf5/dialects/hdmf.h"
#include "hdf5/dialects/hdmf_internal.h"

static const vz_writer writers[] = {
    {
        .dialect = VZ_DIALECT_PLAIN,
        .format = 3,
        .narrow_words = true,
        .little_records = true,
        .dtype_tells_scalar = true,
        .set_dtype = vz_dialect_zarr_dtype_not_set,
        .store_attribute = vz_dialect_zarr_dtype_store_attribute,
    },
    {
        .dialect = VZ_DIALECT_PLAIN,
        .format = 2,
        .dtype_tells_scalar = true,
        .set_dtype = vz_dialect_zarr_dtype_set,
        .store_attribute = vz_dialect_zarr_dtype_store_attribute,
    },
    {
        .dialect = VZ_DIALECT_HDMF,
        .format = 3,
        .little_records = true,
        .bare_paths = true,
        .shows_late = true,
        .plan = vz_hdmf_plan_v3,
        .set_dtype = vz_hdmf_set_dtype_v3,
        .store_attribute = vz_hdmf_store_attribute_v3,
        .finish_attributes = vz_hdmf_finish_attributes_v3,
    },
    {
        .dialect = VZ_DIALECT_HDMF,
        .format = 2,
        .scalar_has_axis = true,
        .dtype_tells_scalar = true,
        .shows_late = true,
        .plan = vz_hdmf_plan,
        .set_dtype = vz_dialect_zarr_dtype_set,
        .store_attribute = vz_hdmf_store_attribute,
        .finish_attributes = vz_hdmf_finish_attributes,
    },
};

const vz_writer *vz_writer_for(vz_option_dialect dialect, const vz_zarr_format *zarr_format)
{
    const vz_writer *found = NULL;
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
        if (writers[i].dialect == dialect && (!found || writers[i].format == zarr_format->format))
            found = &writers[i];
    return found;
}

const vz_writer *vz_writer_of(const vz_hierarchy *hierarchy)
{
    const vz_writer *writer = vz_hierarchy_writer(hierarchy);
    return writer ? writer : vz_writer_for(VZ_DIALECT_PLAIN, vz_hierarchy_zarr_format(hierarchy));
}

const vz_writer *vz_writer_of_node(const vz_node *node)
{
    return vz_writer_for(vz_writer_of(node->hierarchy)->dialect, node->zarr_format);
}
