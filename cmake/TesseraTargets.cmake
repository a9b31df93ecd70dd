# SPDX-License-Identifier: Apache-2.0
# One target per folder; every target gets the same warnings.

function(tessera_compile_options target)
    # A designated initialiser that leaves the rest at its defaults is what they are for.
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror
                           -Wno-missing-field-initializers)
    if(TESSERA_SANITIZE STREQUAL "thread")
        # Boost.Fiber's headers hold fences, which the sanitizer does not follow.
        target_compile_options(${target} PRIVATE -Wno-tsan)
    endif()
    if(TESSERA_SANITIZE)
        target_compile_options(${target} PUBLIC -fsanitize=${TESSERA_SANITIZE}
                               -fno-sanitize-recover=all -fno-omit-frame-pointer)
        target_link_options(${target} PUBLIC -fsanitize=${TESSERA_SANITIZE})
    endif()
endfunction()

# tessera_library(NAME SOURCES a.cpp … DEPENDS targets …): static library tessera::NAME.
function(tessera_library name)
    cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
    add_library(tessera_${name} STATIC ${ARG_SOURCES})
    add_library(tessera::${name} ALIAS tessera_${name})
    target_link_libraries(tessera_${name} PUBLIC tessera::words ${ARG_DEPENDS})
    target_include_directories(tessera_${name} PUBLIC
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/tessera/sources>)
    tessera_compile_options(tessera_${name})
    set_target_properties(tessera_${name} PROPERTIES EXPORT_NAME ${name})
    install(TARGETS tessera_${name} EXPORT tesseraTargets)
endfunction()

# tessera_test(NAME SOURCES a_test.cpp … DEPENDS targets … [LABELS unit] [PREFIX p]): one gtest
# program, the names of whose tests begin with p.
function(tessera_test name)
    cmake_parse_arguments(ARG "" "PREFIX" "SOURCES;DEPENDS;LABELS" ${ARGN})
    add_executable(${name} ${ARG_SOURCES})
    target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} GTest::gmock GTest::gtest_main)
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
    target_compile_definitions(${name} PRIVATE TESSERA_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    set_target_properties(${name} PROPERTIES ENABLE_EXPORTS ON
                          RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    tessera_compile_options(${name})
    include(GoogleTest)
    gtest_discover_tests(${name} TEST_PREFIX "${ARG_PREFIX}" PROPERTIES LABELS "${ARG_LABELS}"
                         DISCOVERY_TIMEOUT 60)
endfunction()
