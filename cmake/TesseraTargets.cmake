# SPDX-License-Identifier: Apache-2.0
# One target per folder; every target gets the same warnings.

function(tessera_compile_options target)
    # Designated initialisers are meant to leave the rest at its defaults.
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror
                           -Wno-missing-field-initializers)
    # Equal bytes on every host require each multiply and add exactly as in the source.
    target_compile_options(${target} PRIVATE -ffp-contract=off)
    if(TESSERA_SANITIZE STREQUAL "thread")
        # Boost.Fiber's headers contain fences, which the sanitizer does not support.
        target_compile_options(${target} PRIVATE -Wno-tsan)
    endif()
    if(TESSERA_SANITIZE)
        target_compile_options(${target} PUBLIC -fsanitize=${TESSERA_SANITIZE}
                               -fno-sanitize-recover=all -fno-omit-frame-pointer)
        target_link_options(${target} PUBLIC -fsanitize=${TESSERA_SANITIZE})
    endif()
endfunction()

# Headers that most sources include, compiled once for all targets with the same flags. Sources
# still include what they use: the preset `tidy` has no such headers.
set(TESSERA_COMMON_HEADERS
    <algorithm> <array> <charconv> <chrono> <cmath> <cstdint> <cstring> <filesystem> <fstream>
    <functional> <limits> <map> <memory> <mutex> <numeric> <optional> <ostream> <ranges> <set> <span>
    <sstream> <stdexcept> <string> <string_view> <tuple> <unordered_map> <utility> <variant> <vector>
    <fmt/format.h> <fmt/ranges.h>
)

# tessera_precompiled(NAME [HEADERS <a> …] [DEPENDS targets …] [OPTIONS flags …]): precompiled
# headers of a group of targets, and their common flags.
function(tessera_precompiled name)
    cmake_parse_arguments(ARG "" "" "HEADERS;DEPENDS;OPTIONS" ${ARGN})
    add_library(tessera_precompiled_${name} OBJECT ${PROJECT_SOURCE_DIR}/cmake/precompiled.cpp)
    target_link_libraries(tessera_precompiled_${name} PRIVATE fmt::fmt ${ARG_DEPENDS})
    tessera_compile_options(tessera_precompiled_${name})
    target_compile_options(tessera_precompiled_${name} PRIVATE ${ARG_OPTIONS})
    target_precompile_headers(tessera_precompiled_${name} PRIVATE ${TESSERA_COMMON_HEADERS}
                              ${ARG_HEADERS})
    set_target_properties(tessera_precompiled_${name} PROPERTIES TESSERA_OPTIONS "${ARG_OPTIONS}")
endfunction()

# Compiles a target as a member of a group: with its flags, its precompiled headers, and in batches,
# so that common includes and instantiations are compiled once per batch. A larger batch makes a
# fresh build cheaper, and a changed source, which recompiles its whole batch, more expensive.
function(tessera_compile_in_group target group)
    tessera_compile_options(${target})
    get_target_property(options tessera_precompiled_${group} TESSERA_OPTIONS)
    target_compile_options(${target} PRIVATE ${options})
    target_precompile_headers(${target} REUSE_FROM tessera_precompiled_${group})
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${TESSERA_BATCHES}
                          UNITY_BUILD_BATCH_SIZE ${TESSERA_BATCH_SIZE})
    get_target_property(sources ${target} SOURCES)
    foreach(source ${sources})
        # This source includes itself to compile once per vector width.
        if(source MATCHES "[.]cpp$" AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${source})
            file(STRINGS ${source} repeats LIMIT_COUNT 1 REGEX "<hwy/foreach_target.h>")
            if(repeats)
                set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
            endif()
        endif()
    endforeach()
endfunction()

# tessera_source_options(FLAGS a.cpp …): flags for these sources only. They are compiled one by one,
# without the precompiled headers, which have other flags.
function(tessera_source_options flags)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "${flags}"
                                SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# tessera_library(NAME SOURCES a.cpp … DEPENDS targets … [GROUP name]): static library tessera::NAME.
function(tessera_library name)
    cmake_parse_arguments(ARG "" "GROUP" "SOURCES;DEPENDS" ${ARGN})
    add_library(tessera_${name} STATIC ${ARG_SOURCES})
    add_library(tessera::${name} ALIAS tessera_${name})
    target_link_libraries(tessera_${name} PUBLIC tessera::words ${ARG_DEPENDS})
    target_include_directories(tessera_${name} PUBLIC ${PROJECT_SOURCE_DIR})
    if(NOT ARG_GROUP)
        set(ARG_GROUP warm)
    endif()
    tessera_compile_in_group(tessera_${name} ${ARG_GROUP})
endfunction()

# tessera_test(NAME SOURCES a_test.cpp … DEPENDS targets … [LABELS unit] [PREFIX p]): one gtest
# program whose test names begin with p.
function(tessera_test name)
    cmake_parse_arguments(ARG "" "PREFIX" "SOURCES;DEPENDS;LABELS" ${ARGN})
    add_executable(${name} ${ARG_SOURCES})
    target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} fmt::fmt GTest::gmock GTest::gtest_main)
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
    target_compile_definitions(${name} PRIVATE TESSERA_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    set_target_properties(${name} PROPERTIES ENABLE_EXPORTS ON
                          RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    tessera_compile_in_group(${name} test)
    # Tests of a folder use the same names for their cases, so a batch of them would not compile.
    set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
    include(GoogleTest)
    # A parameter without a printer would be shown as its bytes, with addresses that change.
    gtest_discover_tests(${name} NO_PRETTY_VALUES TEST_PREFIX "${ARG_PREFIX}" PROPERTIES LABELS "${ARG_LABELS}"
                         DISCOVERY_TIMEOUT 60)
endfunction()
