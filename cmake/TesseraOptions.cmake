# SPDX-License-Identifier: Apache-2.0
option(TESSERA_BUILD_TESTS "Build the tests" ON)
option(TESSERA_BUILD_BENCH "Build the benches" OFF)
option(TESSERA_BUILD_FUZZ "Build the libFuzzer programs of tests/fuzz (clang)" OFF)
option(TESSERA_MPI "Share sweeps, scores and tunings among the ranks of mpirun (needs MPI)" OFF)
option(TESSERA_BATCHES "Compile sources in batches (unity builds)" ON)
set(TESSERA_BATCH_SIZE 8 CACHE STRING "Sources of a batch")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

find_program(TESSERA_CCACHE ccache)
if(TESSERA_CCACHE AND NOT TESSERA_SANITIZE)
    # Without these, ccache does not cache sources that include precompiled headers.
    set(CMAKE_CXX_COMPILER_LAUNCHER env
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
        ${TESSERA_CCACHE})
endif()
