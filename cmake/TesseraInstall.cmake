# SPDX-License-Identifier: Apache-2.0
# Files of `cmake --install`: the program; the library with its CMake package and pkg-config file;
# its headers; and the files that are needed at run time (runtime/kernels/package.cpp searches them
# at these paths). No installed file contains the prefix, so the prefix may be moved.
include(CMakePackageConfigHelpers)

set(private_libdir ${CMAKE_INSTALL_LIBDIR}/tessera)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tessera)
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(TARGET tessera)
    file(RELATIVE_PATH plugin_dir ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR}/tessera)
    set_target_properties(tessera PROPERTIES INSTALL_RPATH $ORIGIN/${plugin_dir})
    install(TARGETS tessera)
endif()
install(TARGETS tessera_kernel_pass DESTINATION ${private_libdir})
install(DIRECTORY include/tessera DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.inc")
install(DIRECTORY include/tt-metalium DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${TESSERA_METALIUM_DIR} ${TESSERA_METALIUM_HOST_DIR}
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tessera)
install(TARGETS tessera_metalium ARCHIVE DESTINATION ${private_libdir})
install(DIRECTORY configs examples DESTINATION ${CMAKE_INSTALL_DATADIR}/tessera)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES runtime/report/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME report_json.md)
install(DIRECTORY bench/accuracy/measurements
        DESTINATION ${CMAKE_INSTALL_DATADIR}/tessera/bench/accuracy)
install(DIRECTORY ops DESTINATION ${CMAKE_INSTALL_DATADIR}/tessera
        FILES_MATCHING REGEX "/kernels/[^/]*$")
# The op that `tessera new op` copies.
install(FILES ops/scale/scale.hpp ops/scale/scale.cpp
        DESTINATION ${CMAKE_INSTALL_DATADIR}/tessera/ops/scale)
# Headers for ops outside of the tree. They are not stable: they change with the version.
foreach(folder ops ops/shared ops/shared/kernels emu/base/fields)
    file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.hpp)
    install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tessera/private/${folder})
endforeach()

# collect_libraries(TARGET): appends the project's libraries that TARGET needs to `archives`, and
# other projects' libraries to `externals`.
function(collect_libraries target)
    get_target_property(aliased ${target} ALIASED_TARGET)
    if(aliased)
        set(target ${aliased})
    endif()
    if(target IN_LIST archives OR target STREQUAL tessera_words)
        return()
    endif()
    list(APPEND archives ${target})
    get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
    if(NOT links)
        set(links)
    endif()
    foreach(link ${links})
        string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" link "${link}")
        if(link MATCHES "^tessera(::|_)")
            collect_libraries(${link})
        elseif(NOT link STREQUAL "nlohmann_json::nlohmann_json")  # headers only, in sources only
            list(APPEND externals ${link})
        endif()
    endforeach()
    set(archives ${archives} PARENT_SCOPE)
    set(externals ${externals} PARENT_SCOPE)
endfunction()

# One target and one line of flags name all of them. The kernel API is linked whole, because kernels
# that are compiled just in time find it in the program.
set(archives)
set(externals fmt::fmt)
collect_libraries(tessera_facade)
list(REMOVE_DUPLICATES externals)
install(TARGETS ${archives} ARCHIVE DESTINATION ${private_libdir})
list(TRANSFORM archives REPLACE "(.+)" "lib\\1.a")
set(kernel_api ${archives})
list(FILTER kernel_api INCLUDE REGEX "_api_")
list(FILTER archives EXCLUDE REGEX "_api_")

configure_package_config_file(cmake/tesseraConfig.cmake.in tesseraConfig.cmake
                              INSTALL_DESTINATION ${package_dir}
                              PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(tesseraConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tesseraConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/tesseraConfigVersion.cmake
        DESTINATION ${package_dir})

# Programs of TT-Metalium's host API find this package by the vendor's name.
set(metalium_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/TT-Metalium)
configure_package_config_file(cmake/TT-MetaliumConfig.cmake.in TT-MetaliumConfig.cmake
                              INSTALL_DESTINATION ${metalium_package_dir}
                              PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/TT-MetaliumConfig.cmake
              cmake/TT-MetaliumConfigVersion.cmake
        DESTINATION ${metalium_package_dir})

file(RELATIVE_PATH prefix_from_pc ${CMAKE_INSTALL_PREFIX}/${pkgconfig_dir} ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" prefix_from_pc ${prefix_from_pc})
list(TRANSFORM kernel_api PREPEND "\${libdir}/" OUTPUT_VARIABLE pc_kernel_api)
list(TRANSFORM archives PREPEND "\${libdir}/" OUTPUT_VARIABLE pc_archives)
list(JOIN pc_kernel_api " " pc_kernel_api)
list(JOIN pc_archives " " pc_archives)
# Empty without MPI, which has no pkg-config file of one name.
list(JOIN MPI_CXX_LIBRARIES " " pc_mpi)
configure_file(cmake/tessera.pc.in tessera.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tessera.pc DESTINATION ${pkgconfig_dir})
