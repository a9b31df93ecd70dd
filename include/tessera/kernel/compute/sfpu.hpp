// SPDX-License-Identifier: Apache-2.0
// Functions of the vector unit, which work on DST in place: X_tile_init(), then X_tile(idst, …).
// sfpu_table.inc lists them with their formulas. A scalar is an fp32 bit pattern unless stated
// otherwise.
// Numeric  fp32 lanes and exact functions, whatever the approximation flags are. A 16-bit DST gets
//          results rounded to nearest even, or truncated if the chip's code stores without a
//          rounding step (scalar operations, add_binary_tile and sub_binary_tile).
// Errors   UndefinedBehavior if a function that keeps constants in the vector unit was never
//          initialised in this launch, or if the DST tile holds the wrong kind of values.
// Source   tt-metal hw/ckernels/*/llk_sfpu.
#pragma once

#include <bit>
#include <type_traits>

#include "tessera/kernel/compute/sfpi_lanes.hpp"
#include "tessera/kernel/compute/sfpu_functions.hpp"
#include "tessera/kernel/compute/types.hpp"

namespace tessera::kernel {
void sfpu_init(Sfpu function, CallSite site);
/// Applies a function to DST tile `idst`. `parameter` is an fp32 bit pattern or an integer,
/// depending on the function.
void sfpu(Sfpu function, SfpuForm form, std::uint32_t idst, int vector_mode,
          std::uint32_t parameter, CallSite site);
void sfpu_init(SfpuBinary function, CallSite site);
void sfpu(SfpuBinary function, ckernel::DstRoundingMode rounding, std::uint32_t idst0,
          std::uint32_t idst1, std::uint32_t odst, CallSite site);
void sfpu(SfpuInteger function, DataFormat format, std::uint32_t idst0, std::uint32_t idst1,
          std::uint32_t odst, CallSite site);
void sfpu(SfpuInteger function, std::uint32_t idst, std::uint32_t parameter, CallSite site);
}  // namespace tessera::kernel

namespace ckernel {

// Functions of one tile, and of one tile and a scalar.
#define SFPU_HEAD_PLAIN inline
#define SFPU_HEAD_TEMPLATE(...) template <__VA_ARGS__>
#define SFPU_HEAD_APPROXIMATE(value) template <bool fast_and_approx = value>
#define SFPU_FORM_PLAIN tessera::kernel::SfpuForm::OfKernel
#define SFPU_FORM_TEMPLATE(...) tessera::kernel::SfpuForm::OfKernel
#define SFPU_FORM_APPROXIMATE(value) tessera::kernel::sfpu_form(fast_and_approx)
#define SFPU_INIT(call, Word, options)                                       \
    SFPU_HEAD_##options void call##_init(CallSite site = CallSite::here()) { \
        tessera::kernel::sfpu_init(tessera::kernel::Sfpu::Word, site);       \
    }
#define SFPU_UNARY_TILE(call, Word, options)                                              \
    SFPU_INIT(call, Word, options)                                                        \
    SFPU_HEAD_##options void call(std::uint32_t idst, CallSite site = CallSite::here()) { \
        tessera::kernel::sfpu(tessera::kernel::Sfpu::Word, SFPU_FORM_##options, idst,     \
                              VectorMode::RC, 0, site);                                   \
    }
#define SFPU_UNARY_FACES(call, Word, options)                                                      \
    SFPU_INIT(call, Word, options)                                                                 \
    SFPU_HEAD_##options void call(std::uint32_t idst, int vector_mode = VectorMode::RC,            \
                                  CallSite site = CallSite::here()) {                              \
        tessera::kernel::sfpu(tessera::kernel::Sfpu::Word, SFPU_FORM_##options, idst, vector_mode, \
                              0, site);                                                            \
    }
#define SFPU_UNARY_SCALED(call, Word, options)
#define SFPU_UNARY_MODE(call, Word, options)
#define SFPU_UNARY_WRITTEN(call, Word, options)
#define SFPU_UNARY(call, Word, shape, options, ...) SFPU_UNARY_##shape(call, Word, options)
#define SFPU_SCALAR_BARE(call, Word)                                                               \
    inline void call(std::uint32_t idst, std::uint32_t scalar, CallSite site = CallSite::here()) { \
        tessera::kernel::sfpu(tessera::kernel::Sfpu::Word, SFPU_FORM_PLAIN, idst, VectorMode::RC,  \
                              scalar, site);                                                       \
    }
#define SFPU_SCALAR_TILE(call, Word) \
    SFPU_INIT(call, Word, PLAIN)     \
    SFPU_SCALAR_BARE(call, Word)
#define SFPU_SCALAR_WRITTEN(call, Word)
#define SFPU_SCALAR(call, Word, shape, ...) SFPU_SCALAR_##shape(call, Word)
#include "tessera/kernel/compute/sfpu_table.inc"

/// Treatment of very negative inputs by the chip's fast approximation of exp. Results here are
/// exact.
enum class InputClamping : std::uint8_t { None = 0, ClampToNegative = 1 };

/// e^x, or e^(scale · x) with `scale_en`; `scale` is a bfloat16 bit pattern. The fast approximation
/// uses the factor of its init, an fp32 bit pattern that the chip keeps in programmable constants.
/// Source   tt-llk ckernel_sfpu_exp.h, _init_exponential_.
template <bool approx = false, bool fast_and_approx = true, std::uint32_t scale = 0x3F800000>
void exp_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_init(tessera::kernel::Sfpu::Exp, site);
    tessera::kernel::lane_constant(0) = approx && fast_and_approx ? scale : 0x3F800000U;
}
/// Init of exp_tile in the form of 2026, in which `approx` implies the fast approximation.
template <bool approx, auto scale, InputClamping clamping = InputClamping::ClampToNegative>
requires(!std::is_same_v<decltype(scale), bool>) void exp_tile_init(
    CallSite site = CallSite::here()) {
    exp_tile_init<approx, true, static_cast<std::uint32_t>(scale)>(site);
}
template <bool approx = false, bool fast_and_approx = true, bool scale_en = false,
          bool skip_positive_check = false, int iterations = 8>
void exp_tile(std::uint32_t idst, int vector_mode = VectorMode::RC, std::uint16_t scale = 0x3F80,
              CallSite site = CallSite::here()) {
    // exp_tile<false, true>(…, scale) of 2026 has scale_en in second place; before, a scale without
    // scale_en had no use.
    constexpr std::uint16_t kOne = 0x3F80;
    const bool has_scale = scale_en || (!approx && scale != kOne);
    const std::uint32_t factor = has_scale                   ? std::uint32_t{scale} << 16U
                                 : approx && fast_and_approx ? tessera::kernel::lane_constant(0)
                                                             : 0x3F800000U;
    // 32 iterations without a vector mode are all rows of a tile.
    constexpr int kWholeTile = 32;
    tessera::kernel::sfpu(
        tessera::kernel::Sfpu::Exp, tessera::kernel::sfpu_form(approx), idst,
        iterations == kWholeTile && vector_mode == VectorMode::None ? VectorMode::RC : vector_mode,
        factor, site);
}
template <bool approx, bool scale_en, InputClamping clamping, int iterations = 8>
void exp_tile(std::uint32_t idst, int vector_mode = VectorMode::RC, std::uint16_t scale = 0x3F80,
              CallSite site = CallSite::here()) {
    exp_tile<approx, true, scale_en, false, iterations>(idst, vector_mode, scale, site);
}

/// Does the same on the packer's thread.
template <bool approx = false, std::uint32_t scale = 0x3F800000, auto input_clamping = 0>
void exp_packthread_tile_init(CallSite site = CallSite::here()) {
    exp_tile_init<approx, true, scale>(site);
}
template <bool approx = false, bool scale_en = false, auto input_clamping = 0, int iterations = 8>
void exp_packthread_tile(std::uint32_t idst, int vector_mode = VectorMode::RC,
                         std::uint16_t scale = 0x3F80, CallSite site = CallSite::here()) {
    exp_tile<approx, true, scale_en>(idst, vector_mode, scale, site);
}

/// 1/(1 + e^−x); the vector mode is a template argument.
SFPU_INIT(sigmoid_tile, Sigmoid, TEMPLATE(bool fast_and_approx = false))
template <int vec_mode = VectorMode::RC, bool fast_and_approx = false>
void sigmoid_tile(std::uint32_t idst, CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::Sigmoid,
                          tessera::kernel::sfpu_form(fast_and_approx), idst, vec_mode, 0, site);
}

/// ln x · base_scale, an fp32 bit pattern (1/ln 2 gives the logarithm to base 2).
SFPU_INIT(log_with_base_tile, Log, TEMPLATE(bool fast_and_approx = false))
template <bool fast_and_approx = false>
void log_with_base_tile(std::uint32_t idst, std::uint32_t base_scale,
                        CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::LogWithBase, tessera::kernel::SfpuForm::OfKernel,
                          idst, VectorMode::RC, base_scale, site);
}

/// Init of add_unary_tile, sub_, mul_, div_ and rsub_unary_tile.
SFPU_INIT(binop_with_scalar_tile, AddScalar, PLAIN)

/// Sets every element to the value. The tile may be empty before.
SFPU_INIT(fill_tile, Fill, PLAIN)
inline void fill_tile(std::uint32_t idst, float param0, CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::Fill, tessera::kernel::SfpuForm::OfKernel, idst,
                          VectorMode::RC, std::bit_cast<std::uint32_t>(param0), site);
}

/// x^exponent for an integer exponent: power_tile under its later names.
SFPU_INIT(power_iterative_tile, Power, PLAIN)
SFPU_SCALAR_BARE(power_iterative_tile, Power)

// Functions of two tiles; `odst` may be one of them. Older forms write to `idst0`.
#define SFPU_BINARY_INIT(call, Op)                                         \
    inline void call##_init(CallSite site = CallSite::here()) {            \
        tessera::kernel::sfpu_init(tessera::kernel::SfpuBinary::Op, site); \
    }
#define SFPU_BINARY_CALLS(call, Op, options, rounding)                                             \
    SFPU_BINARY_INIT(call, Op)                                                                     \
    SFPU_HEAD_##options void call(std::uint32_t idst0, std::uint32_t idst1, std::uint32_t odst,    \
                                  CallSite site = CallSite::here()) {                              \
        tessera::kernel::sfpu(tessera::kernel::SfpuBinary::Op, rounding, idst0, idst1, odst,       \
                              site);                                                               \
    }                                                                                              \
    inline void call(std::uint32_t idst0, std::uint32_t idst1, CallSite site = CallSite::here()) { \
        call<>(idst0, idst1, idst0, site);                                                         \
    }
#define SFPU_BINARY_ROUNDED(call, Op)                                               \
    SFPU_BINARY_CALLS(call, Op,                                                     \
                      TEMPLATE(DstRoundingMode rounding = DstRoundingMode::Default, \
                               bool is_fp32_dest_acc_en = false),                   \
                      rounding)
#define SFPU_BINARY_NEAREST(call, Op)                                       \
    SFPU_BINARY_CALLS(call, Op, TEMPLATE(bool is_fp32_dest_acc_en = false), \
                      DstRoundingMode::NearestEven)
#define SFPU_BINARY_MODE(call, Op)                                                             \
    SFPU_BINARY_INIT(call, Op)                                                                 \
    inline void call(std::uint32_t idst0, std::uint32_t idst1, std::uint32_t odst,             \
                     int /*vector_mode*/ = VectorMode::RC, CallSite site = CallSite::here()) { \
        tessera::kernel::sfpu(tessera::kernel::SfpuBinary::Op, DstRoundingMode::NearestEven,   \
                              idst0, idst1, odst, site);                                       \
    }
#define SFPU_BINARY(call, Op, shape, ...) SFPU_BINARY_##shape(call, Op)
#include "tessera/kernel/compute/sfpu_table.inc"

/// Older form of binary_max_tile: the greater goes to idst0.
SFPU_BINARY_INIT(max_tile, Max)
inline void max_tile(std::uint32_t idst0, std::uint32_t idst1, int /*vector_mode*/ = VectorMode::RC,
                     CallSite site = CallSite::here()) {
    binary_max_tile(idst0, idst1, idst0, VectorMode::RC, site);
}

// Functions of tiles that hold integers as 32-bit patterns. Results wrap; UInt16 wraps at 16 bits.
// They keep no constants in the vector unit, so their inits are only recorded.
#define SFPU_INTEGER_CALL(call, Op, options, format)                                               \
    SFPU_HEAD_##options void call(std::uint32_t idst0, std::uint32_t idst1, std::uint32_t odst,    \
                                  CallSite site = CallSite::here()) {                              \
        tessera::kernel::sfpu(tessera::kernel::SfpuInteger::Op, format, idst0, idst1, odst, site); \
    }
#define SFPU_INTEGER_OF(call, Op, format)                                                          \
    inline void call##_init() {                                                                    \
    }                                                                                              \
    SFPU_INTEGER_CALL(call, Op, PLAIN, format)                                                     \
    inline void call(std::uint32_t idst0, std::uint32_t idst1, CallSite site = CallSite::here()) { \
        call(idst0, idst1, idst0, site);                                                           \
    }
#define SFPU_INTEGER_ARITHMETIC(name, Op)                                                  \
    template <DataFormat data_format = DataFormat::Int32>                                  \
    void name##_int_tile_init(CallSite /*site*/ = CallSite::here()) {                      \
    }                                                                                      \
    SFPU_INTEGER_CALL(                                                                     \
        name##_int_tile, Op,                                                               \
        TEMPLATE(DataFormat data_format = DataFormat::Int32, bool sign_magnitude = false), \
        data_format)                                                                       \
    SFPU_INTEGER_OF(name##_int32_tile, Op, DataFormat::Int32)                              \
    SFPU_INTEGER_OF(name##_uint32_tile, Op, DataFormat::UInt32)                            \
    SFPU_INTEGER_OF(name##_uint16_tile, Op, DataFormat::UInt16)
#define SFPU_INTEGER_BINARY(call, Op) \
    SFPU_INTEGER_CALL(call, Op, TEMPLATE(DataFormat data_format = DataFormat::Int32), data_format)
#define SFPU_INTEGER_INIT_TILE(call) \
    inline void call##_init() {      \
    }
#define SFPU_INTEGER_INIT_BARE(call)
#define SFPU_INTEGER_SCALAR(call, Op, shape)                                                 \
    template <DataFormat data_format = DataFormat::Int32>                                    \
    void call(std::uint32_t idst, std::uint32_t scalar, CallSite site = CallSite::here()) {  \
        static_assert(data_format == DataFormat::Int32 || data_format == DataFormat::UInt32, \
                      #call ": formats of 32 bits are emulated");                            \
        tessera::kernel::sfpu(tessera::kernel::SfpuInteger::Scalar##Op, idst, scalar, site); \
    }                                                                                        \
    SFPU_INTEGER_INIT_##shape(call)
#include "tessera/kernel/compute/sfpu_table.inc"

SFPU_INTEGER_INIT_TILE(binary_bitwise_tile)
SFPU_INTEGER_INIT_TILE(binary_shift_tile)
SFPU_INTEGER_INIT_TILE(bitwise_not_tile)
/// Inverts every bit.
void bitwise_not_tile(std::uint32_t idst, CallSite site = CallSite::here());
/// Sets every element to the integer.
void fill_tile_int(std::uint32_t idst, std::uint32_t param0, CallSite site = CallSite::here());
template <DataFormat data_format>
void fill_tile_int(std::uint32_t idst, std::uint32_t param0, CallSite site = CallSite::here()) {
    fill_tile_int(idst, param0, site);
}

}  // namespace ckernel

#undef SFPU_HEAD_PLAIN
#undef SFPU_HEAD_TEMPLATE
#undef SFPU_HEAD_APPROXIMATE
#undef SFPU_FORM_PLAIN
#undef SFPU_FORM_TEMPLATE
#undef SFPU_FORM_APPROXIMATE
#undef SFPU_INIT
#undef SFPU_UNARY_TILE
#undef SFPU_UNARY_FACES
#undef SFPU_UNARY_SCALED
#undef SFPU_UNARY_MODE
#undef SFPU_UNARY_WRITTEN
#undef SFPU_SCALAR_BARE
#undef SFPU_SCALAR_TILE
#undef SFPU_SCALAR_WRITTEN
#undef SFPU_BINARY_INIT
#undef SFPU_BINARY_CALLS
#undef SFPU_BINARY_ROUNDED
#undef SFPU_BINARY_NEAREST
#undef SFPU_BINARY_MODE
#undef SFPU_INTEGER_OF
#undef SFPU_INTEGER_CALL
#undef SFPU_INTEGER_INIT_TILE
#undef SFPU_INTEGER_INIT_BARE
