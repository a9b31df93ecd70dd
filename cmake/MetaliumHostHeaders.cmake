# SPDX-License-Identifier: Apache-2.0
# Header names under which TT-Metalium's host programs include the host API, in the spelling of each
# generation. Each is a file, generated here, that includes one header of include/tt-metalium.
set(TESSERA_METALIUM_HOST_DIR ${PROJECT_BINARY_DIR}/metalium_host)

# host_names(HEADER name …): the names include tt-metalium/HEADER.
function(host_names header)
    foreach(name ${ARGN})
        set(text "// SPDX-License-Identifier: Apache-2.0\n#pragma once\n#include \"tt-metalium/${header}\"\n")
        if(NOT EXISTS ${TESSERA_METALIUM_HOST_DIR}/${name})
            file(WRITE ${TESSERA_METALIUM_HOST_DIR}/${name} "${text}")
        endif()
    endforeach()
endfunction()

# Older spellings name the vendor's source folders, with and without tt_metal/ in front.
function(host_names_of_source_tree header)
    foreach(name ${ARGN})
        host_names(${header} ${name} tt_metal/${name})
    endforeach()
endfunction()

host_names_of_source_tree(old_names.hpp host_api.hpp)
host_names_of_source_tree(tt_metal.hpp detail/tt_metal.hpp detail/util.hpp detail/persistent_kernel_cache.hpp)
host_names_of_source_tree(device.hpp impl/device/device.hpp impl/allocator/allocator.hpp)
host_names_of_source_tree(buffer.hpp impl/buffers/buffer.hpp impl/buffers/buffer_constants.hpp)
host_names_of_source_tree(circular_buffer_config.hpp
    impl/buffers/circular_buffer.hpp impl/buffers/circular_buffer_types.hpp)
host_names_of_source_tree(global_semaphore.hpp impl/buffers/semaphore.hpp impl/buffers/global_semaphore.hpp)
host_names(global_circular_buffer.hpp tt-metalium/experimental/global_circular_buffer.hpp
    tt_metal/impl/buffers/global_circular_buffer.hpp)
host_names_of_source_tree(command_queue.hpp
    impl/dispatch/command_queue.hpp impl/event/event.hpp impl/trace/trace.hpp)
host_names_of_source_tree(program.hpp impl/program/program.hpp)
host_names_of_source_tree(kernel_types.hpp impl/kernels/kernel.hpp impl/kernels/kernel_types.hpp)
host_names_of_source_tree(bfloat16.hpp common/bfloat16.hpp)
host_names_of_source_tree(constants.hpp common/constants.hpp)
host_names_of_source_tree(core_coord.hpp common/core_coord.h common/core_coord.hpp)
host_names_of_source_tree(math.hpp common/math.hpp)
host_names_of_source_tree(base_types.hpp common/base_types.hpp common/tt_backend_api_types.hpp)
host_names_of_source_tree(work_split.hpp common/work_split.hpp)
host_names_of_source_tree(tilize_utils.hpp
    common/test_tiles.hpp common/tilize_untilize.hpp common/tilize_utils.hpp)
host_names_of_source_tree(assert.hpp common/assert.hpp common/logger.hpp tt_stl/assert.hpp)
host_names_of_source_tree(stl.hpp
    tt_stl/reflection.hpp tt_stl/small_vector.hpp tt_stl/span.hpp tt_stl/strong_type.hpp)
host_names_of_source_tree(host_defines.hpp
    hostdevcommon/common_runtime_address_map.h hostdevcommon/common_values.hpp
    hostdevcommon/dprint_common.h hostdevcommon/kernel_structs.h hostdevcommon/profiler_common.h)
host_names(enum_name.hpp tt_stl/fmt.hpp)
host_names(magic_enum.hpp
    magic_enum.hpp magic_enum/magic_enum.hpp third_party/magic_enum/magic_enum.hpp)
host_names(core_coord.hpp
    third_party/umd/device/tt_xy_pair.h umd/device/tt_xy_pair.h umd/device/types/xy_pair.hpp)
host_names(base_types.hpp umd/device/types/arch.h umd/device/types/arch.hpp)
host_names(assert.hpp tt-logger/tt-logger.hpp)

# Newer spellings: the vendor has one header a subject; Tessera declares it in the named header.
host_names(assert.hpp tt-metalium/logger.hpp)
host_names(buffer.hpp tt-metalium/buffer_distribution_spec.hpp tt-metalium/buffer_page_mapping.hpp)
host_names(circular_buffer_config.hpp tt-metalium/circular_buffer.hpp tt-metalium/circular_buffer_types.hpp)
host_names(command_queue.hpp tt-metalium/event.hpp tt-metalium/trace.hpp)
host_names(device.hpp
    tt-metalium/allocator_types.hpp tt-metalium/device_impl.hpp tt-metalium/device_pool.hpp
    tt-metalium/dispatch_core_common.hpp tt-metalium/hal.hpp tt-metalium/cluster.hpp
    tt-metalium/experimental/device.hpp)
host_names(distributed.hpp tt-metalium/mesh_device_view.hpp)
foreach(name fabric fabric_edm_types fabric_types mesh_graph)
    host_names(fabric.hpp tt-metalium/experimental/fabric/${name}.hpp)
endforeach()
host_names(fabric.hpp hostdevcommon/fabric_common.h tt-metalium/fabric_edm_types.hpp
    tt-metalium/fabric_types.hpp)
host_names(kernel_types.hpp tt-metalium/kernel.hpp)
host_names(math.hpp tt-metalium/tt_align.hpp)
host_names(mesh_command_queue.hpp tt-metalium/mesh_event.hpp)
host_names(mesh_device.hpp
    tt-metalium/mesh_config.hpp tt-metalium/mesh_trace_id.hpp tt-metalium/system_mesh.hpp)
host_names(program.hpp tt-metalium/program_cache.hpp)
foreach(name dataflow_buffer_spec kernel_spec node_coord program program_run_args program_run_params
        program_spec semaphore_spec)
    host_names(program_spec.hpp tt-metalium/experimental/metal2_host_api/${name}.hpp)
endforeach()
host_names(stl.hpp
    tt-metalium/small_vector.hpp tt-metalium/span.hpp tt-metalium/strong_type.hpp)
host_names(sub_device.hpp tt-metalium/sub_device_types.hpp)
host_names(tilize_utils.hpp tt-metalium/test_tiles.hpp tt-metalium/tilize_untilize.hpp)
host_names(tt_metal.hpp tt-metalium/persistent_kernel_cache.hpp tt-metalium/util.hpp)
host_names(tt_metal_profiler.hpp
    tt-metalium/profiler.hpp tt-metalium/profiler_optional_metadata.hpp tt-metalium/profiler_types.hpp
    tt-metalium/experimental/profiler.hpp)

# Newer programs include the base header of fmt 11, which fmt 9 does not have.
if(NOT EXISTS ${TESSERA_METALIUM_HOST_DIR}/fmt/base.h)
    file(WRITE ${TESSERA_METALIUM_HOST_DIR}/fmt/base.h
        "// SPDX-License-Identifier: Apache-2.0\n#pragma once\n#if __has_include_next(<fmt/base.h>)\n#include_next <fmt/base.h>\n#else\n#include <fmt/format.h>\n#endif\n")
endif()
