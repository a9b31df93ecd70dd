# SPDX-License-Identifier: Apache-2.0
# The header names under which TT-Metalium's kernels include the device API, in its older spelling
# (dataflow_api.h, compute_kernel_api/…) and its newer ones (api/…, experimental/…). The whole API is
# included ahead of every kernel, so each is an empty file, made here from its name. A name that is
# not listed stands for functions that are not emulated: including it fails, naming it.
set(compute_headers
    add_int32_sfpu add_int_sfpu bcast binary_bitwise_sfpu binary_max_min binary_shift cb_api common
    common_globals compute_kernel_hw_startup copy_dest_values eltwise_binary eltwise_binary_sfpu
    eltwise_unary/activations eltwise_unary/binop_with_scalar eltwise_unary/bitwise_and
    eltwise_unary/bitwise_not eltwise_unary/bitwise_or eltwise_unary/bitwise_xor eltwise_unary/comp
    eltwise_unary/eltwise_unary eltwise_unary/exp eltwise_unary/fill eltwise_unary/gelu
    eltwise_unary/identity eltwise_unary/left_shift eltwise_unary/logical_not
    eltwise_unary/logical_not_noti eltwise_unary/negative eltwise_unary/recip eltwise_unary/relu
    eltwise_unary/reverseops eltwise_unary/rsqrt eltwise_unary/rsub
    eltwise_unary/sfpu_split_includes eltwise_unary/sqrt eltwise_unary/typecast eltwise_unary/where
    layernorm mask matmul mul_int_sfpu pack pack_untilize reconfig_data_format reduce reg_api
    softmax sub_int_sfpu tile_move_copy tilize transpose transpose_dest transpose_wh
    transpose_wh_dest untilize
)
set(metalium_headers
    accessor/tensor_accessor.h accessor/tensor_accessor_args.h api/compile_time_args.h
    api/compute/compute_kernel_api.h api/core_local_mem.h api/dataflow/circular_buffer.h
    api/dataflow/dataflow_api.h api/dataflow/dataflow_buffer.h api/dataflow/endpoints.h
    api/dataflow/noc.h api/dataflow/noc_semaphore.h api/debug/assert.h api/debug/device_print.h
    api/debug/dprint.h api/debug/dprint_tile.h api/debug/pause.h api/debug/waypoint.h
    api/tensor/noc_traits.h api/tensor/tensor_accessor.h api/tensor/tensor_accessor_args.h
    compile_time_args.h compute_kernel_api.h dataflow_api.h dataflow_api_addrgen.h debug/assert.h
    debug/device_print.h debug/dprint.h debug/dprint_tile.h debug/pause.h debug/waypoint.h experimental/circular_buffer.h
    experimental/core_local_mem.h experimental/dataflow_buffer.h experimental/endpoints.h
    experimental/noc.h experimental/noc_semaphore.h experimental/tensor.h
    fabric/fabric_edm_packet_header.hpp hostdevcommon/common_values.hpp hostdevcommon/kernel_structs.h
    internal/dataflow/dataflow_api_addrgen.h internal/risc_attribs.h risc_attribs.h
    tensor/tensor_accessor.h tensor/tensor_accessor_args.h third_party/tracy/public/tracy/Tracy.hpp
    tools/profiler/kernel_profiler.hpp tt-metalium/constants.hpp
    tt_metal/api/tt-metalium/constants.hpp tt_metal/fabric/fabric_edm_packet_header.hpp
    tt_metal/fabric/hw/inc/edm_fabric/edm_fabric_worker_adapters.hpp
    tt_metal/fabric/hw/inc/noc_addr.h tt_metal/fabric/hw/inc/packet_header_pool.h
    tt_metal/fabric/hw/inc/tt_fabric_api.h tt_metal/fabric/hw/inc/tt_fabric_mux.hpp
    tt_metal/fabric/hw/inc/tt_fabric_mux_interface.hpp tt_metal/tools/profiler/kernel_profiler.hpp
)
foreach(name ${compute_headers})
    list(APPEND metalium_headers compute_kernel_api/${name}.h api/compute/${name}.h)
endforeach()

set(TESSERA_METALIUM_DIR ${PROJECT_BINARY_DIR}/metalium)
foreach(name ${metalium_headers})
    if(NOT EXISTS ${TESSERA_METALIUM_DIR}/${name})
        file(WRITE ${TESSERA_METALIUM_DIR}/${name}
             "// SPDX-License-Identifier: Apache-2.0\n// Included ahead of the kernel.\n")
    endif()
endforeach()
