module vol-zarr/test/cloud/proxy

go 1.24
