# SPDX-License-Identifier: Apache-2.0
# Selects the clang that compiles kernels. The address step (emu/kernel_pass) is a plugin of it, so
# the headers of the same LLVM must exist too. Takes the lowest supported version that has both.
# Version 14 is that of clang-format and clang-tidy, so most machines of developers have it. It
# compiles as fast as 19 (0.60 against 0.65 s for the kernels of moe_bmm). Sets TESSERA_CLANG,
# TESSERA_LLVM_INCLUDE_DIR and TESSERA_CLANG_VERSION; the first two may be given.
set(TESSERA_CLANG_VERSIONS 14 15 16 17 18 19)

# tessera_clang_version(OUT COMPILER): its major version, or empty.
function(tessera_clang_version out compiler)
    execute_process(COMMAND ${compiler} --version OUTPUT_VARIABLE text ERROR_QUIET)
    string(REGEX MATCH "clang version ([0-9]+)" match "${text}")
    set(${out} "${CMAKE_MATCH_1}" PARENT_SCOPE)
endfunction()

# tessera_find_clang(OUT VERSION): the compiler of that version, under its own name or the plain
# name.
function(tessera_find_clang out version)
    find_program(numbered clang++-${version} HINTS /usr/lib/llvm-${version}/bin NO_CACHE)
    find_program(plain clang++ HINTS /usr/lib64/llvm${version}/bin /usr/lib/llvm/${version}/bin
                 NO_CACHE)
    foreach(candidate ${numbered} ${plain})
        if(EXISTS ${candidate})
            tessera_clang_version(found ${candidate})
            if(found STREQUAL version)
                set(${out} ${candidate} PARENT_SCOPE)
                return()
            endif()
        endif()
    endforeach()
    set(${out} "" PARENT_SCOPE)
endfunction()

# tessera_find_llvm_headers(OUT VERSION): the folder of Debian, Fedora, Arch and Gentoo, or the
# answer of llvm-config.
function(tessera_find_llvm_headers out version)
    find_program(config NAMES llvm-config-${version} llvm-config-${version}-64 llvm-config NO_CACHE)
    if(config)
        execute_process(COMMAND ${config} --includedir OUTPUT_VARIABLE told ERROR_QUIET
                        OUTPUT_STRIP_TRAILING_WHITESPACE)
    endif()
    foreach(folder /usr/lib/llvm-${version}/include /usr/lib64/llvm${version}/include
                   /usr/lib/llvm${version}/include /usr/lib/llvm/${version}/include ${told}
                   /usr/include)
        # If two word sizes share a folder, the file of each has its own name.
        file(GLOB configs ${folder}/llvm/Config/llvm-config*.h)
        foreach(file ${configs})
            file(STRINGS ${file} line REGEX "define LLVM_VERSION_MAJOR ${version}$")
            if(line AND EXISTS ${folder}/llvm/Passes/PassPlugin.h)
                set(${out} ${folder} PARENT_SCOPE)
                return()
            endif()
        endforeach()
    endforeach()
    set(${out} "" PARENT_SCOPE)
endfunction()

if(NOT TESSERA_CLANG OR NOT TESSERA_LLVM_INCLUDE_DIR)
    if(TESSERA_CLANG)
        tessera_clang_version(versions ${TESSERA_CLANG})
    else()
        set(versions ${TESSERA_CLANG_VERSIONS})
    endif()
    foreach(version ${versions})
        set(compiler ${TESSERA_CLANG})
        if(NOT compiler)
            tessera_find_clang(compiler ${version})
        endif()
        set(headers ${TESSERA_LLVM_INCLUDE_DIR})
        if(NOT headers)
            tessera_find_llvm_headers(headers ${version})
        endif()
        if(compiler AND headers)
            set(TESSERA_CLANG ${compiler} CACHE FILEPATH "compiler of kernels" FORCE)
            set(TESSERA_LLVM_INCLUDE_DIR ${headers} CACHE PATH "headers of its LLVM" FORCE)
            break()
        endif()
    endforeach()
endif()

if(NOT TESSERA_CLANG OR NOT TESSERA_LLVM_INCLUDE_DIR)
    message(FATAL_ERROR "No clang++ of version 14 to 19 with the headers of the same LLVM. "
            "Debian: apt-get install clang-14 lld-14 llvm-14-dev; others: docs/install.md. "
            "Elsewhere: -D TESSERA_CLANG=…/clang++ -D TESSERA_LLVM_INCLUDE_DIR=…/include")
endif()
tessera_clang_version(TESSERA_CLANG_VERSION ${TESSERA_CLANG})
if(NOT TESSERA_CLANG_VERSION IN_LIST TESSERA_CLANG_VERSIONS)
    message(FATAL_ERROR "TESSERA_CLANG ${TESSERA_CLANG} is version '${TESSERA_CLANG_VERSION}'; "
            "allowed: 14 to 19")
endif()
message(STATUS "Kernels: ${TESSERA_CLANG} (${TESSERA_CLANG_VERSION}), ${TESSERA_LLVM_INCLUDE_DIR}")
