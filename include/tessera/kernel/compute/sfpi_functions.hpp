// SPDX-License-Identifier: Apache-2.0
// Calls that run a function of the kernel on the faces of DST tiles, and the vendor's library of
// functions on sfpi vectors.
// Numeric  library functions are exact to fp32; the chip approximates.
// Source   tt-llk, llk_math_eltwise_{unary,binary,ternary}_sfpu_params.h and common/inc/sfpu.
#pragma once

#include "tessera/kernel/compute/sfpi_numbers.hpp"
#include "tessera/kernel/compute/sfpu.hpp"

namespace tessera::kernel {

/// Calls a function for each face of a vector mode, with dst_reg at the face of tile `idst`. All
/// its calls are one event.
template <class Function>
void for_each_face(std::uint32_t idst, int vector_mode, const Function& function) {
    using ckernel::VectorMode;
    const bool is_once = vector_mode != VectorMode::R && vector_mode != VectorMode::C &&
                         vector_mode != VectorMode::RC;
    for (std::uint32_t face = 0; face < (is_once ? 1 : 4); ++face) {
        const bool is_called = is_once || vector_mode == VectorMode::RC ||
                               (vector_mode == VectorMode::R ? face < 2 : face % 2 == 0);
        if (is_called) {
            begin_face(idst, face);
            function();
        }
    }
    begin_face(0, 0);
    record_vector_function();
}
}  // namespace tessera::kernel

namespace ckernel {

/// Kinds of functions, which inits of the vector unit take as a template argument.
enum class SfpuType : std::uint8_t { unused, exponential, reciprocal };

/// Calls `function(args…)` for the faces of DST tile `idst` that the mode names: dst_reg[0 … 7] is
/// the face. VectorMode::None and RC_custom call it once, at face 0.
template <bool approximate = false, class Function, class Mode = int, class... Args>
void _llk_math_eltwise_unary_sfpu_params_(Function&& function, std::uint32_t idst,
                                          Mode mode = static_cast<int>(VectorMode::RC),
                                          Args... args) {
    tessera::kernel::for_each_face(idst, static_cast<int>(mode), [&] { function(args...); });
}
/// Calls `function(idst0, idst1, odst, args…)`; dst_reg[32·tile + 0 … 7] is the face of a tile.
template <bool approximate = false, class Function, class Mode = int, class... Args>
void _llk_math_eltwise_binary_sfpu_params_(Function&& function, std::uint32_t idst0,
                                           std::uint32_t idst1, std::uint32_t odst,
                                           Mode mode = static_cast<int>(VectorMode::RC),
                                           Args... args) {
    tessera::kernel::for_each_face(0, static_cast<int>(mode),
                                   [&] { function(idst0, idst1, odst, args...); });
}
/// Does the same for three operands.
template <bool approximate = false, class Function, class Mode = int, class... Args>
void _llk_math_eltwise_ternary_sfpu_params_(Function&& function, std::uint32_t idst0,
                                            std::uint32_t idst1, std::uint32_t idst2,
                                            std::uint32_t odst,
                                            Mode mode = static_cast<int>(VectorMode::RC),
                                            Args... args) {
    tessera::kernel::for_each_face(0, static_cast<int>(mode),
                                   [&] { function(idst0, idst1, idst2, odst, args...); });
}
/// Init of such a function. A callable argument loads constants: vConstFloatPrgm0 = ….
template <auto type = SfpuType::unused, auto... options>
void llk_math_eltwise_unary_sfpu_init() {
}
template <auto type = SfpuType::unused, auto... options, class Function, class... Args>
void llk_math_eltwise_unary_sfpu_init(Function&& function, Args... args) {
    function(args...);
}
template <auto type = SfpuType::unused, auto... options>
void llk_math_eltwise_binary_sfpu_init() {
}
template <auto type = SfpuType::unused, auto... options, class Function, class... Args>
void llk_math_eltwise_binary_sfpu_init(Function&& function, Args... args) {
    function(args...);
}

// The calls as macros of June 2026: the function is one of ckernel::sfpu, its template arguments
// are in parentheses. DST's mode is that of the program.
#define TESSERA_IN_PARENTHESES(...) __VA_ARGS__
#define SFPU_UNARY_CALL(dst_sync, dst_accum, function, templates, idst, mode, ...) \
    (::ckernel::_llk_math_eltwise_unary_sfpu_params_(                              \
        ::ckernel::sfpu::function<TESSERA_IN_PARENTHESES templates>, idst,         \
        mode __VA_OPT__(, ) __VA_ARGS__))
#define SFPU_UNARY_CALL_NO_TEMPLATE_ARGS(dst_sync, dst_accum, function, idst, mode, ...) \
    (::ckernel::_llk_math_eltwise_unary_sfpu_params_(::ckernel::sfpu::function, idst,    \
                                                     mode __VA_OPT__(, ) __VA_ARGS__))
#define SFPU_BINARY_CALL(dst_sync, dst_accum, function, templates, idst0, idst1, odst, mode, ...) \
    (::ckernel::_llk_math_eltwise_binary_sfpu_params_(                                            \
        ::ckernel::sfpu::function<TESSERA_IN_PARENTHESES templates>, idst0, idst1, odst,          \
        mode __VA_OPT__(, ) __VA_ARGS__))
#define SFPU_BINARY_CALL_NO_TEMPLATE_ARGS(dst_sync, dst_accum, function, idst0, idst1, odst, mode, \
                                          ...)                                                     \
    (::ckernel::_llk_math_eltwise_binary_sfpu_params_(::ckernel::sfpu::function, idst0, idst1,     \
                                                      odst, mode __VA_OPT__(, ) __VA_ARGS__))

namespace sfpu {

/// Conversion of scalars that the vendor's functions take.
struct Converter {
    static constexpr float as_float(std::uint32_t bits) { return std::bit_cast<float>(bits); }
};

// Issue slots of the library's functions for a vector. They are counted in the sources of tt-llk
// (ckernel_sfpu_recip.h, ckernel_sfpu_exp.h), or are those of the function of a tile minus its
// load, store and step: exp_tile takes 32 (tt-metal issue 43569), sqrt_tile 28 (tt-metal #54317),
// log1p_tile 34 (tt-lang, CostTableBlackhole.inc).
inline constexpr std::uint32_t kReciprocalSlots = 15;
inline constexpr std::uint32_t kSlotsPerIteration = 4;  ///< Newton's method, after the first one
inline constexpr std::uint32_t kExpOfMagnitudeSlots = 27;
inline constexpr std::uint32_t kExpSlots = 29;
inline constexpr std::uint32_t kSqrtSlots = 25;
inline constexpr std::uint32_t kLog1pSlots = 31;

/// 1 / v.
template <int max_iterations = 2>
sfpi::vFloat _sfpu_reciprocal_(const sfpi::vFloat& v) {
    sfpi::issue(kReciprocalSlots +
                kSlotsPerIteration * (max_iterations > 0 ? max_iterations - 1 : 0));
    return sfpi::detail::map<sfpi::vFloat>([](float x) { return 1.0F / x; }, v);
}
/// 1 / |v|. Older form, whose caller negates the result for negative v.
template <int max_iterations = 3>
sfpi::vFloat _reciprocal_compat_(const sfpi::vFloat& v) {
    return _sfpu_reciprocal_<max_iterations>(sfpi::abs(v));
}
template <int iterations = 2>
sfpi::vFloat _sfpu_sqrt_(const sfpi::vFloat& v) {
    sfpi::issue(kSqrtSlots);
    return sfpi::detail::map<sfpi::vFloat>([](float x) { return std::sqrt(x); }, v);
}
/// e^v. Callers of this older function pass |v|.
template <std::uint32_t slots = kExpOfMagnitudeSlots>
sfpi::vFloat _sfpu_exp_(const sfpi::vFloat& v) {
    sfpi::issue(slots);
    return sfpi::detail::map<sfpi::vFloat>([](float x) { return std::exp(x); }, v);
}
/// e^(v·scale); the scale is a bfloat16 pattern.
template <bool scales, bool is_fp32_dest_acc_en>
sfpi::vFloat _ckernel_sfpu_exp_accurate_(const sfpi::vFloat& v, std::uint16_t scale = 0x3F80) {
    return _sfpu_exp_<kExpSlots>(scales ? v * sfpi::s2vFloat16b(std::uint32_t{scale}) : v);
}
/// e^v, and below 1 / v, under the names of June 2026.
template <bool is_fp32_dest_acc_en = true>
sfpi::vFloat _sfpu_exp_accurate_(const sfpi::vFloat& v) {
    return _sfpu_exp_<kExpSlots>(v);
}
template <int max_iterations = 2>
sfpi::vFloat sfpu_reciprocal_iter(const sfpi::vFloat& v) {
    return _sfpu_reciprocal_<max_iterations>(v);
}
/// Replaces dst_reg[0] by ln(1 + e^(beta·x)) / beta, and keeps x if beta·x is above the threshold.
template <bool approximate, bool is_fp32_dest_acc_en = false>
void calculate_softplus_body(float beta, float beta_reciprocal, float threshold) {
    const sfpi::vFloat in = sfpi::dst_reg[0];
    const sfpi::vFloat scaled = in * sfpi::vFloat(beta);
    sfpi::issue(kExpSlots + kLog1pSlots);
    sfpi::vFloat result =
        sfpi::vFloat(beta_reciprocal) *
        sfpi::detail::map<sfpi::vFloat>([](float x) { return std::log1p(std::exp(x)); }, scaled);
    v_if(scaled > threshold) {
        result = in;
    }
    v_endif;
    sfpi::dst_reg[0] = result;
}

}  // namespace sfpu
}  // namespace ckernel
