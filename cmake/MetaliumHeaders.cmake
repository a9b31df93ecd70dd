# SPDX-License-Identifier: Apache-2.0
# The header names under which TT-Metalium's kernels include the device API, in its older spelling
# (dataflow_api.h, compute_kernel_api/…) and its newer one (api/…). The whole API is included ahead
# of every kernel, so each is an empty file, made here from its name. A name that is not listed
# stands for functions that are not emulated: including it fails, naming it.
set(compute_headers
    bcast binary_bitwise_sfpu binary_max_min binary_shift cb_api common common_globals
    compute_kernel_hw_startup copy_dest_values eltwise_binary eltwise_binary_sfpu
    eltwise_unary/activations eltwise_unary/binop_with_scalar eltwise_unary/bitwise_and
    eltwise_unary/bitwise_not eltwise_unary/bitwise_or eltwise_unary/bitwise_xor eltwise_unary/comp
    eltwise_unary/eltwise_unary eltwise_unary/exp eltwise_unary/fill eltwise_unary/gelu
    eltwise_unary/identity eltwise_unary/left_shift eltwise_unary/logical_not_noti
    eltwise_unary/negative eltwise_unary/recip eltwise_unary/relu eltwise_unary/rsqrt
    eltwise_unary/rsub eltwise_unary/sfpu_split_includes eltwise_unary/sqrt eltwise_unary/typecast
    eltwise_unary/where add_int_sfpu sub_int_sfpu mask matmul mul_int_sfpu pack pack_untilize
    reconfig_data_format reduce reg_api tile_move_copy tilize transpose_wh transpose_wh_dest untilize
)
set(metalium_headers
    accessor/tensor_accessor.h accessor/tensor_accessor_args.h api/compile_time_args.h
    api/compute/compute_kernel_api.h api/dataflow/dataflow_api.h api/debug/assert.h
    api/debug/dprint.h api/debug/waypoint.h api/tensor/tensor_accessor.h
    api/tensor/tensor_accessor_args.h compile_time_args.h compute_kernel_api.h dataflow_api.h
    debug/assert.h debug/dprint.h debug/waypoint.h hostdevcommon/common_values.hpp
    hostdevcommon/kernel_structs.h tools/profiler/kernel_profiler.hpp
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
