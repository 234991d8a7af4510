# Where `cmake --install` puts things. The module's directory is one of our own, so that HDF5 loads nothing else from it; packages give it
# HDF5's own plugin directory instead, where no variable is needed.
include(GNUInstallDirs)
set(VZ_PLUGIN_INSTALL_DIR lib/hdf5/plugin-zarr CACHE STRING "where the module goes, below the prefix or absolute")

# The way there from the directory of the command h5zarr.
cmake_path(ABSOLUTE_PATH VZ_PLUGIN_INSTALL_DIR BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} NORMALIZE OUTPUT_VARIABLE VZ_PLUGIN_FULL_DIR)
file(RELATIVE_PATH VZ_PLUGIN_PLACE ${CMAKE_INSTALL_FULL_BINDIR} ${VZ_PLUGIN_FULL_DIR})
