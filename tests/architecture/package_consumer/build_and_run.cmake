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

# Moved beside what is installed, the program finds the address step and the headers there.
file(COPY ${SCRATCH}/build/consumer DESTINATION ${SCRATCH}/prefix/bin)
set(ENV{TESSERA_CACHE_DIR} ${SCRATCH}/cache)
execute_process(
    COMMAND ${SCRATCH}/prefix/bin/consumer ${SCRATCH}/prefix/share/tessera/configs/arch/wormhole_n150.yaml
    COMMAND_ERROR_IS_FATAL ANY)
