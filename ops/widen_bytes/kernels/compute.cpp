// SPDX-License-Identifier: Apache-2.0
// Converts pieces of bytes to bfloat16 and subtracts the byte of 0.
#include "../../shared/fp8_blocks/kernels/args.hpp"
#include "../../shared/kernels/tile_moves.hpp"
#include "args.hpp"
#include "compute_kernel_api/eltwise_unary/binop_with_scalar.h"
#include "compute_kernel_api/eltwise_unary/typecast.h"

using namespace tessera::ops;
using namespace tessera::ops::widen_bytes;

void kernel_main() {
    constexpr uint32_t cb_counted = index_of(Cb::Counted);
    constexpr uint32_t cb_bytes = index_of(Cb::Bytes);
    constexpr uint32_t cb_output = index_of(Cb::Output);
    constexpr auto kFrom = static_cast<uint32_t>(DataFormat::UInt8);
    constexpr auto kTo = static_cast<uint32_t>(DataFormat::Float32);
    constexpr uint32_t kZero = 0x43000000;  // fp8::kByteZero, fp32
    init_sfpu(cb_bytes, cb_output);
    cb_wait_front(cb_counted, 1);
    const uint32_t count = read_tile_value(cb_counted, 0, 0);
    for_each_tile(
        count,
        [] {
            // The order of elements in a tile does not matter: all are converted alike.
            copy_tile(cb_bytes, 0, 0);
            typecast_tile_init<kFrom, kTo>();
            typecast_tile<kFrom, kTo>(0);
            binop_with_scalar_tile_init();
            sub_unary_tile(0, kZero);
        },
        cb_output, cb_bytes);
}
