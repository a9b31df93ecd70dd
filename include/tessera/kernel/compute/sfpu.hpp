// SPDX-License-Identifier: Apache-2.0
// Words of the vector unit's functions: each has an init of its own and works on DST in place.
// Numeric  fp32 lanes, exact functions whatever the approximation flags say; a 16-bit DST gets
//          results rounded to nearest even, or truncated where the chip's code stores without a
//          rounding step (scalar operations, add_binary_tile and sub_binary_tile).
// Errors   UndefinedBehavior if a function that keeps constants in the vector unit was never
//          initialised in this launch, or if the DST tile holds the wrong kind of values.
// Source   tt-metal hw/ckernels/*/llk_sfpu.
#pragma once

#include "tessera/kernel/compute/types.hpp"

namespace tessera::kernel {
enum class Sfpu : std::uint8_t {
    Abs,
    AddScalar,
    Eqz,
    Exp,
    Fill,
    Gelu,
    Gez,
    Gtz,
    Identity,
    LeakyRelu,
    Lez,
    Log,
    LogWithBase,
    Ltz,
    MulScalar,
    Negative,
    Nez,
    Power,
    Recip,
    Relu,
    ReluMax,
    ReluMin,
    Rsqrt,
    RsubScalar,
    Sigmoid,
    Sign,
    Silu,
    Sqrt,
    Square,
    SubScalar,
    Tanh,
};
enum class SfpuBinary : std::uint8_t { Add, Sub, Rsub, Mul, Div, Max, Min, Power };
enum class SfpuInteger : std::uint8_t { Add, Sub, Mul, And, Or, Xor, ShiftLeft, ShiftRight };

void sfpu_init(Sfpu function, CallSite site);
/// `parameter` is an fp32 bit pattern or an integer, as the function takes it.
void sfpu(Sfpu function, std::uint32_t idst, int vector_mode, std::uint32_t parameter,
          const char* call, CallSite site);
void sfpu_binary_init(SfpuBinary operation, CallSite site);
void sfpu_binary(SfpuBinary operation, ckernel::DstRoundingMode rounding, std::uint32_t idst0,
                 std::uint32_t idst1, std::uint32_t odst, const char* call, CallSite site);
void sfpu_integer(SfpuInteger operation, DataFormat format, std::uint32_t idst0,
                  std::uint32_t idst1, std::uint32_t odst, const char* call, CallSite site);
void sfpu_integer_scalar(SfpuInteger operation, std::uint32_t idst, std::uint32_t parameter,
                         const char* call, CallSite site);
}  // namespace tessera::kernel
