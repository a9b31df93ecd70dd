# SPDX-License-Identifier: Apache-2.0
file(REMOVE_RECURSE ${SCRATCH})

function(run)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output
                    ERROR_VARIABLE output)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "${ARGN}: ${status}\n${output}")
    endif()
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/prefix)
run(${CMAKE_COMMAND} -G Ninja -S ${PROJECT} -B ${SCRATCH}/build -D CMAKE_BUILD_TYPE=Release
    -D CMAKE_PREFIX_PATH=${SCRATCH}/prefix)
run(${CMAKE_COMMAND} --build ${SCRATCH}/build)

# The program knows its package from being linked against it: neither where it lies matters, nor
# what lies beside it, as this file that no compiler can load.
file(COPY ${SCRATCH}/build/consumer DESTINATION ${SCRATCH}/elsewhere/bin)
file(WRITE ${SCRATCH}/elsewhere/${LIBDIR}/tessera/tessera_kernel_pass.so "planted")
set(ENV{TESSERA_CACHE_DIR} ${SCRATCH}/cache)
execute_process(
    COMMAND ${SCRATCH}/elsewhere/bin/consumer ${SCRATCH}/prefix/share/tessera/configs/arch/wormhole_n150.yaml
    COMMAND_ERROR_IS_FATAL ANY)
