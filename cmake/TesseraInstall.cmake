# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where: the program, the libraries with the package that finds them,
# their headers, and what kernels compiled just in time need (runtime/kernels/package.cpp looks for
# it in these places).
include(CMakePackageConfigHelpers)

if(TARGET tessera)
    file(RELATIVE_PATH plugin_dir ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR}/tessera)
    set_target_properties(tessera PROPERTIES INSTALL_RPATH $ORIGIN/${plugin_dir})
    install(TARGETS tessera)
endif()
install(TARGETS tessera_kernel_pass DESTINATION ${CMAKE_INSTALL_LIBDIR}/tessera)
install(DIRECTORY include/tessera DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.inc")
install(DIRECTORY ${TESSERA_METALIUM_DIR} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tessera)
install(DIRECTORY bench/accuracy emu ops runtime DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tessera/sources
        FILES_MATCHING PATTERN "*.hpp" PATTERN "kernel_pass" EXCLUDE)
install(DIRECTORY configs DESTINATION ${CMAKE_INSTALL_DATADIR}/tessera)
install(DIRECTORY ops DESTINATION ${CMAKE_INSTALL_DATADIR}/tessera
        FILES_MATCHING REGEX "/kernels/[^/]*$")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tessera)
install(EXPORT tesseraTargets NAMESPACE tessera:: DESTINATION ${package_dir})
configure_package_config_file(cmake/tesseraConfig.cmake.in tesseraConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(tesseraConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tesseraConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/tesseraConfigVersion.cmake
        DESTINATION ${package_dir})
