# SPDX-License-Identifier: Apache-2.0
# clang compiles kernels with the address step (emu/kernel_pass), whatever compiler builds the rest.
include(KernelCompiler)
set(TESSERA_KERNEL_PASS tessera_kernel_pass)

# Shared with kernels compiled just in time (runtime/kernels/jit.cpp). Values must not depend on the
# host: no -march, no contraction of a * b + c. Cores restart kernels, so destructors of statics
# never run. A static's first use needs no lock, because it belongs to one kernel thread. Loops may
# be endless; otherwise the compiler could remove a loop without an effect and run the code after
# it. Line tables have the form that runtime/scheduler/source_line.cpp reads; -g1 comes last,
# because -gdwarf-4 enables all debug information. An overrun array is found when its function
# returns.
set(TESSERA_KERNEL_FLAGS
    -std=c++20 -O3 -fPIC -gdwarf-4 -g1 -fms-extensions -funsigned-char -fno-exceptions
    -fasynchronous-unwind-tables -fno-strict-aliasing -ffp-contract=off -fno-threadsafe-statics
    -fno-c++-static-destructors -fno-finite-loops -ftls-model=initial-exec
    -fstack-protector-strong -U_FORTIFY_SOURCE -DKERNEL_BUILD
)
# Kernels regularly cast numbers to pointers and back, and need not use all of their arguments.
set(TESSERA_KERNEL_WARNINGS
    -Wall -Wextra -Werror -Wno-int-to-pointer-cast -Wno-pointer-to-int-cast -Wno-microsoft-cast
    -Wno-void-pointer-to-int-cast -Wno-unused-variable -Wno-unused-but-set-variable
    -Wno-unused-parameter -Wno-unused-function -Wno-unused-const-variable -Wno-sign-compare
    -Wno-unknown-pragmas -Wno-deprecated-volatile
)

# tessera_compile_kernel(OBJECT SOURCE SYMBOL [flags …]): rule that compiles one kernel source (a
# path relative to the project) to OBJECT, whose only visible name is SYMBOL, a
# tessera::CompiledKernel.
function(tessera_compile_kernel object source symbol)
    get_filename_component(folder ${object} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    set(pass $<TARGET_FILE:${TESSERA_KERNEL_PASS}>)
    set(compile ${TESSERA_CLANG} ${TESSERA_KERNEL_FLAGS} ${TESSERA_KERNEL_WARNINGS} ${ARGN}
                -I${TESSERA_METALIUM_DIR} -I${PROJECT_SOURCE_DIR}/include)
    list(JOIN compile " " command)
    set_property(GLOBAL APPEND PROPERTY TESSERA_KERNEL_COMMANDS "{
  \"directory\": \"${PROJECT_SOURCE_DIR}\",
  \"file\": \"${PROJECT_SOURCE_DIR}/${source}\",
  \"command\": \"${command} -c ${source}\"
}")
    # Compiled from the project's root, so that messages name sources relative to it.
    add_custom_command(
        OUTPUT ${object}
        COMMAND ${compile} -Xclang -load -Xclang ${pass} -mllvm -tessera-kernel-symbol=${symbol}
                -fpass-plugin=${pass} -MD -MF ${object}.d -MT ${object} -c ${source} -o ${object}
        # The compiler runs in the project's root, but ninja reads the rule from the build folder.
        COMMAND sed -i -E "s# (bench|ops|runtime|tests)/# ${PROJECT_SOURCE_DIR}/\\1/#g" ${object}.d
        WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
        DEPENDS ${PROJECT_SOURCE_DIR}/${source} ${TESSERA_KERNEL_PASS}
        DEPFILE ${object}.d
        COMMENT "Building kernel ${source}"
        VERBATIM
    )
endfunction()

# tessera_kernels(TARGET kernels/a.cpp …): compiles kernels into the library TARGET. Adds a row for
# each to the table of built-in kernels, under its path relative to the project.
function(tessera_kernels target)
    foreach(file ${ARGN})
        file(RELATIVE_PATH source ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${file})
        string(MAKE_C_IDENTIFIER "tessera_kernel_${source}" symbol)
        set(object ${CMAKE_CURRENT_BINARY_DIR}/${file}.o)
        tessera_compile_kernel(${object} ${source} ${symbol} -include tessera/kernel/kernel.hpp)
        set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
        target_sources(${target} PRIVATE ${object})
        set_property(GLOBAL APPEND PROPERTY TESSERA_KERNEL_ROWS "${source}|${symbol}")
    endforeach()
    set_property(GLOBAL APPEND PROPERTY TESSERA_KERNEL_TARGETS ${target})
endfunction()

# tessera_kernel_commands(): writes the commands that compile each kernel to
# kernels/compile_commands.json of the build folder, for clang-tidy. The commands omit the address
# step, which clang-tidy does not have.
function(tessera_kernel_commands)
    get_property(commands GLOBAL PROPERTY TESSERA_KERNEL_COMMANDS)
    list(JOIN commands ",\n" text)
    file(WRITE ${PROJECT_BINARY_DIR}/kernels/compile_commands.json "[\n${text}\n]\n")
endfunction()
