# What `cmake --install` leaves; cmake/places.cmake says where.
include(CMakePackageConfigHelpers)

install(TARGETS H5VLzarr LIBRARY DESTINATION ${VZ_PLUGIN_INSTALL_DIR})
install(TARGETS h5zarr RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES docs/h5zarr.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES tools/completion/h5zarr DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions)
install(FILES tools/completion/_h5zarr DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/zsh/site-functions)
install(FILES tools/completion/h5zarr.fish DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/fish/vendor_completions.d)
install(FILES include/H5VLzarr.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# For programs that name the connector themselves: the header, and where the module lies. Nothing is linked.
add_library(vol_zarr_headers INTERFACE)
set_target_properties(vol_zarr_headers PROPERTIES EXPORT_NAME headers)
target_include_directories(vol_zarr_headers INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
install(TARGETS vol_zarr_headers EXPORT vol_zarr-targets)

set(VZ_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/vol_zarr)
install(EXPORT vol_zarr-targets NAMESPACE vol_zarr:: DESTINATION ${VZ_CMAKE_DIR})
configure_package_config_file(cmake/vol_zarr-config.cmake.in vol_zarr-config.cmake INSTALL_DESTINATION ${VZ_CMAKE_DIR}
  PATH_VARS VZ_PLUGIN_INSTALL_DIR)
write_basic_package_version_file(vol_zarr-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/vol_zarr-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/vol_zarr-config-version.cmake
  DESTINATION ${VZ_CMAKE_DIR})

# The prefix is told by where the file lies: `cmake --install --prefix` decides on it after this.
file(RELATIVE_PATH VZ_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" VZ_PC_TO_PREFIX "${VZ_PC_TO_PREFIX}")
cmake_path(ABSOLUTE_PATH VZ_PLUGIN_INSTALL_DIR BASE_DIRECTORY "\${prefix}" OUTPUT_VARIABLE VZ_PC_PLUGIN_DIR)
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_INCLUDEDIR BASE_DIRECTORY "\${prefix}" OUTPUT_VARIABLE VZ_PC_INCLUDE_DIR)
configure_file(cmake/vol_zarr.pc.in vol_zarr.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/vol_zarr.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
