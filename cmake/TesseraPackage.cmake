# SPDX-License-Identifier: Apache-2.0
# `cmake --build build/release --target package` makes a .deb of the files of `cmake --install`,
# stripped.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tessera)
set(CPACK_PACKAGE_CONTACT "The Tessera authors <tessera@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Emulator of Tensix-style tile accelerators")
set(CPACK_PACKAGE_DESCRIPTION
"Runs kernels in TT-Metalium's device API on emulated meshes of tile accelerators: values of every
core, checked against references, and where the time goes.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
# The program's shared libraries, found by dpkg-shlibdeps.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# User kernels are compiled by the clang for which the address step is a plugin.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "clang-${TESSERA_CLANG_VERSION}")
# Programs that use the libraries are built with these (tesseraConfig.cmake).
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "cmake, g++, libboost-context-dev, libboost-fiber-dev, \
libcli11-dev, libfmt-dev, libhwy-dev, libspdlog-dev, libtbb-dev, libyaml-cpp-dev, \
nlohmann-json3-dev, zlib1g-dev")

# Stripping does not change archives, whose line numbers are half of the package.
install(CODE "
    if(CMAKE_INSTALL_DO_STRIP)
        file(GLOB archives
             \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/libtessera_*.a\")
        execute_process(COMMAND ${CMAKE_STRIP} --strip-debug \${archives}
                        COMMAND_ERROR_IS_FATAL ANY)
    endif()")
include(CPack)
