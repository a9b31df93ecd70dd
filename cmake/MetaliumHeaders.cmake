# SPDX-License-Identifier: Apache-2.0
# The header names under which TT-Metalium's kernels include the device API, in its older spelling
# (dataflow_api.h, compute_kernel_api/…) and its newer ones (api/…, experimental/…). The kernel API
# is included ahead of every kernel, so most are empty files, made here from their names. A header of
# classes or helpers whose names a kernel may define itself includes them. A name that is not listed
# stands for functions that are not emulated: including it fails, naming it.

# Headers of the compute API, as compute_kernel_api/NAME.h and api/compute/NAME.h.
set(compute_headers
    add_int32_sfpu add_int_sfpu atan2 binary_bitwise_sfpu binary_comp binary_fmod
    binary_max_min binary_remainder binary_shift blank cb_api common common_globals
    compute_kernel_hw_startup copy_dest_values cumsum div_int32_floor div_int32_sfpu
    eltwise_binary eltwise_binary_sfpu gcd isclose lcm layernorm logsigmoid mask matmul
    mul_int32_sfpu mul_int_sfpu pack pack_untilize quantization reconfig_data_format reduce
    reduce_custom reg_api rsub_int32_sfpu sentinel/compute_kernel_sentinel sfpu_binary_bcast softmax
    sub_int32_sfpu sub_int_sfpu tile_move_copy tilize tilize_untilize transpose transpose_dest
    transpose_wh transpose_wh_dest unpack untilize welford xlogy
    experimental/matmul_custom experimental/mul_reduce_scalar experimental/pack_block
    experimental/fast_untilize experimental/indexer_mul_custom
    experimental/sdpa_sub_custom experimental/semaphore experimental/tile_move_copy_custom
)
set(unary_headers
    activations addcdiv addcmul binop_with_scalar bitwise bitwise_and bitwise_not bitwise_or bitwise_xor cbrt
    ceil clamp comp digamma dropout eltwise_unary elu erf_erfc erfinv exp fill floor fmod gelu hardmish
    hardtanh i0 i1 identity isinf_isnan left_shift lerp lgamma log1p logical_not logical_not_noti negative
    mish prelu rand rdiv recip relu remainder reverseops right_shift rounding rpow rsqrt rsub selu
    sfpu_int_sum sfpu_split_includes snake_beta softplus sqrt tanh_derivative tanhshrink threshold trigonometry trunc
    typecast where xielu
)
foreach(name ${unary_headers})
    list(APPEND compute_headers eltwise_unary/${name})
endforeach()
# Headers of the debugging API, as debug/NAME.h and api/debug/NAME.h.
set(debug_headers assert device_print dprint dprint_pages dprint_tensix
    dprint_tensix_pack dprint_tensix_unpack dprint_test_common dprint_tile pause ring_buffer waypoint)
set(metalium_headers
    accessor/tensor_accessor.h accessor/tensor_accessor_args.h api/compile_time_args.h
    api/dataflow/dataflow_api.h api/kernel_thread_globals.h
    api/tensor/page.h api/tensor/pages_address_iterator.h api/tensor/shard_pages_address_iterator.h
    api/tensor/tensor_accessor.h api/tensor/tensor_accessor_args.h
    compile_time_args.h dataflow_api.h dataflow_api_addrgen.h
    chlkc_list.h ckernel.h ckernel_defs.h ckernel_globals.h ckernel_include.h ckernel_sfpu.h
    ckernel_structs.h core_config.h debug_macros.h defines_generated.h
    dev_mem_map.h fabric/fabric_edm_packet_header.hpp hostdevcommon/common_values.hpp
    hostdevcommon/kernel_structs.h internal/circular_buffer_interface.h
    internal/dataflow/dataflow_api_addrgen.h internal/dataflow/dataflow_api_common.h
    internal/debug/dprint_test_common.h internal/firmware_common.h internal/hw_thread.h
    internal/risc_attribs.h internal/tt-1xx/risc_common.h firmware_common.h experimental/kernel_args.h
    llk_defs.h llk_math_binary_api.h llk_math_common_api.h llk_math_eltwise_unary_sfpu_init.h
    llk_math_eltwise_unary_sfpu_params.h
    llk_math_eltwise_unary_sfpu_macros.h llk_math_eltwise_binary_sfpu_macros.h llk_math_matmul_api.h llk_math_reduce_api.h
    llk_math_eltwise_binary.h llk_math_unary_datacopy_api.h llk_math_common.h llk_pack.h llk_pack_api.h llk_pack_common.h
    llk_param_structs.h llk_unpack_AB_api.h llk_unpack_AB_matmul_api.h llk_unpack_A_api.h
    llk_unpack_common_api.h llk_unpack_reduce_api.h llk_unpack_tilize_api.h llk_unpack_untilize_api.h
    noc_nonblocking_api.h noc_parameters.h sfpi.h noc/noc_parameters.h risc_attribs.h risc_common.h
    stream_interface.h tensix.h tensix_types.h tensor/tensor_accessor.h
    tensor/tensor_accessor_args.h third_party/tracy/public/tracy/Tracy.hpp
    tools/profiler/kernel_profiler.hpp
    tt_metal/fabric/fabric_edm_packet_header.hpp
    tt_metal/fabric/hw/inc/edm_fabric/edm_fabric_worker_adapters.hpp
    tt_metal/fabric/hw/inc/noc_addr.h tt_metal/fabric/hw/inc/packet_header_pool.h
    tt_metal/fabric/hw/inc/tt_fabric_mux.hpp
    tt_metal/fabric/hw/inc/tt_fabric_mux_interface.hpp tt_metal/hw/inc/dataflow_api.h
    tt_metal/tools/profiler/kernel_profiler.hpp wormhole/noc/noc_parameters.h
    blackhole/noc/noc_parameters.h
)
# Headers that host and kernels share, by their name in the package and by two paths from a root.
set(shared_headers buffer_constants.hpp buffer_types.hpp circular_buffer_constants.h constants.hpp
    experimental/fabric/fabric_edm_types.hpp)
foreach(name ${shared_headers})
    list(APPEND metalium_headers tt-metalium/${name} api/tt-metalium/${name}
        tt_metal/api/tt-metalium/${name})
endforeach()
foreach(name ${compute_headers})
    list(APPEND metalium_headers compute_kernel_api/${name}.h api/compute/${name}.h)
endforeach()
foreach(name ${debug_headers})
    list(APPEND metalium_headers debug/${name}.h api/debug/${name}.h)
endforeach()

set(TESSERA_METALIUM_DIR ${PROJECT_BINARY_DIR}/metalium)

# tessera_metalium_header(NAME TEXT): writes a header unless it has that text already, which would
# compile every kernel again.
function(tessera_metalium_header name text)
    set(file ${TESSERA_METALIUM_DIR}/${name})
    set(present "")
    if(EXISTS ${file})
        file(READ ${file} present)
    endif()
    if(NOT present STREQUAL text)
        file(WRITE ${file} "${text}")
    endif()
endfunction()

foreach(name ${metalium_headers})
    tessera_metalium_header(${name}
        "// SPDX-License-Identifier: Apache-2.0\n// Included ahead of the kernel.\n")
endforeach()

foreach(name tt_metal/fabric/hw/inc/tt_fabric_api.h tt_metal/fabric/hw/inc/linear/api.h tt_metal/fabric/hw/inc/linear/addrgen_api.h
        tt_metal/fabric/hw/inc/edm_fabric/fabric_connection_manager.hpp
        hostdevcommon/fabric_common.h)
    tessera_metalium_header(${name}
        "// SPDX-License-Identifier: Apache-2.0\n#pragma once\n#include \"tessera/kernel/fabric_linear.hpp\"\n")
endforeach()

foreach(folder compute_kernel_api api/compute)
    tessera_metalium_header(${folder}/reshuffle.h
        "// SPDX-License-Identifier: Apache-2.0\n#pragma once\n#include \"tessera/kernel/compute/reshuffle_rows.hpp\"\n")
    tessera_metalium_header(${folder}/bcast.h
        "// SPDX-License-Identifier: Apache-2.0\n#pragma once\n#ifdef COMPILE_FOR_TRISC\n#include \"tessera/kernel/compute/bcast_pointers.hpp\"\n#endif\n")
endforeach()
tessera_metalium_header(api/remote_circular_buffer.h
    "// SPDX-License-Identifier: Apache-2.0\n#pragma once\n#include \"tessera/kernel/dataflow/remote_circular_buffer.hpp\"\n")
foreach(name sdpa sdpa_fw custom_add smoothstep)
    tessera_metalium_header(experimental/llk_sfpu/ckernel_sfpu_${name}.h
        "// SPDX-License-Identifier: Apache-2.0\n#pragma once\n#include \"tessera/kernel/compute/sfpu_${name}.hpp\"\n")
endforeach()

# tessera_metalium_classes(CONTENT "NAME …" HEADER…): headers after which classes of `experimental` may be
# named without it. A kernel that does not include them may use the names for things of its own.
function(tessera_metalium_classes content names)
    set(text "// SPDX-License-Identifier: Apache-2.0\n#pragma once\n")
    string(APPEND text "#include \"tessera/kernel/objects/${content}.hpp\"\n")
    separate_arguments(names)
    foreach(name ${names})
        string(APPEND text "using experimental::${name};\n")
    endforeach()
    foreach(header ${ARGN})
        tessera_metalium_header(${header} "${text}")
    endforeach()
endfunction()
set(noc_classes "Noc NocOptions NocOptVals has_flag has_option noc_traits_t")
tessera_metalium_classes(noc "${noc_classes}" api/dataflow/noc.h api/tensor/noc_traits.h)
tessera_metalium_classes(circular_buffer "CircularBuffer CircularBufferView DataflowBuffer use ${noc_classes}"
    api/dataflow/circular_buffer.h api/dataflow/dataflow_buffer.h)
tessera_metalium_classes(core_local_mem "CoreLocalMem ${noc_classes}" api/core_local_mem.h)
tessera_metalium_classes(endpoints "AllocatorBank AllocatorBankType MulticastEndpoint UnicastEndpoint ${noc_classes}"
    api/dataflow/endpoints.h)
tessera_metalium_classes(semaphore "Semaphore ${noc_classes}" api/dataflow/noc_semaphore.h)
tessera_metalium_classes(lock "Lock" api/dataflow/lock.h)
foreach(name noc circular_buffer dataflow_buffer core_local_mem endpoints tensor noc_semaphore lock)
    tessera_metalium_header(experimental/${name}.h
        "// SPDX-License-Identifier: Apache-2.0\n// Included ahead of the kernel.\n")
endforeach()

# The chip's mathematics header has no M_LN2, so that kernels define a constant of that name.
foreach(name compute_kernel_api.h api/compute/compute_kernel_api.h)
    tessera_metalium_header(${name}
        "// SPDX-License-Identifier: Apache-2.0\n// Included ahead of the kernel.\n#undef M_LN2\n")
endforeach()
# Barriers of a debug build (DEBUG_CHECKPOINT_ENABLED), which are nothing in any other.
foreach(name debug/checkpoint.h api/debug/checkpoint.h)
    tessera_metalium_header(${name}
        "// SPDX-License-Identifier: Apache-2.0\n#pragma once\n#define DEBUG_CHECKPOINT(...)\n#define DEBUG_CHECKPOINT_EX(...)\n#define DEBUG_CHECKPOINT_GLOBAL(...)\n")
endforeach()

# Modes of a Blackhole's DRAM cores: nothing for the kernels of worker cores.
tessera_metalium_header(experimental/drisc_mode.h
    "// SPDX-License-Identifier: Apache-2.0\n// Its functions are those of DRAM cores, which are not emulated.\n")
# Numeric helpers, whose names are words such as `align`.
foreach(name api/alignment.h alignment.h api/numeric/bfloat16.h api/numeric/float32.h
        api/numeric/int32.h internal/mod_div_lib.h mod_div_lib.h)
    tessera_metalium_header(${name}
        "// SPDX-License-Identifier: Apache-2.0\n#include \"tessera/kernel/numeric.hpp\"\n")
endforeach()
