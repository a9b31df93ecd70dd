// SPDX-License-Identifier: Apache-2.0
// Random numbers, quantisation and element-wise functions with operands that no formula takes.
#include "tessera/kernel/compute/sfpu_blocks.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "emu/api/compute/compute_trace.hpp"
#include "emu/api/compute/units.hpp"
#include "emu/api/compute/unpacker.hpp"

namespace tessera::kernel {
namespace {

VectorRegisters& registers_of(const char* call, CallSite site) {
    return current_units(call, site).vector_registers;
}

/// Marsaglia's xorshift with 32 bits; the chip's registers shift in another way.
std::uint32_t next_random(VectorRegisters& registers) {
    std::uint32_t& state = registers.random;
    state ^= state << 13U;
    state ^= state >> 17U;
    state ^= state << 5U;
    return state;
}

}  // namespace

void seed_random(std::uint32_t seed, CallSite site) {
    // 0 is the one state that xorshift never leaves.
    registers_of("rand_tile_init", site).random = seed == 0 ? 0x9E3779B9U : seed;
    record_init(current_thread(), UnitInitKind::Sfpu, 0, site);
}

void random_tile(std::uint32_t idst, float from, float scale, CallSite site) {
    constexpr const char* kCall = "rand_tile";
    ComputeState& units = current_units(kCall, site);
    float* tile = units.dst.overwrite(idst, kCall, site);
    record_sfpu(current_thread(), kCall, site);
    if (units.maths == Maths::Off) {
        return;
    }
    for (std::uint32_t i = 0; i < kTileElements; ++i) {
        constexpr float kStep = 0x1p-24F;
        const auto number = static_cast<float>(next_random(units.vector_registers) >> 8U);
        tile[i] = from + scale * (number * kStep);
    }
    round_for_dst(units.dst, tile);
}

void dropout(std::uint32_t idst, std::uint32_t probability, float scale, CallSite site) {
    constexpr const char* kCall = "dropout_tile";
    ComputeState& units = current_units(kCall, site);
    float* tile = units.dst.update(idst, kCall, site);
    record_sfpu(current_thread(), kCall, site);
    if (units.maths == Maths::Off) {
        return;
    }
    for (std::uint32_t i = 0; i < kTileElements; ++i) {
        const bool drops = next_random(units.vector_registers) >> 1U < probability;
        tile[i] = drops ? 0.0F : tile[i] * scale;
    }
    round_for_dst(units.dst, tile);
}

void set_zero_point(float value, CallSite site) {
    registers_of("quant_tile_init", site).zero_point = value;
    record_init(current_thread(), UnitInitKind::Sfpu, 0, site);
}

void quantise(Quantisation step, std::uint32_t idst, std::uint32_t idst_scale, std::uint32_t odst,
              CallSite site) {
    const bool is_dequantise = step == Quantisation::Dequantise;
    const char* call = is_dequantise                      ? "dequant_tile"
                       : step == Quantisation::Requantise ? "requant_tile"
                                                          : "quant_tile";
    ComputeState& units = current_units(call, site);
    const bool takes_floats = step == Quantisation::Quantise;
    const float* in =
        units.dst.update(idst, call, site, takes_floats ? DstContent::Float : DstContent::Integer);
    const float* scale = units.dst.update(idst_scale, call, site);
    std::array<float, kTileElements> results{};
    const double zero = static_cast<double>(units.vector_registers.zero_point);
    // Without maths the floats are undefined. Integers stay defined, so that results are zeros.
    for (std::uint32_t i = 0; units.maths == Maths::On && i < kTileElements; ++i) {
        const double value = takes_floats ? static_cast<double>(in[i])
                                          : static_cast<double>(std::bit_cast<std::int32_t>(in[i]));
        const double factor = static_cast<double>(scale[i]);
        results[i] = is_dequantise ? static_cast<float>((value - zero) * factor)
                                   : std::bit_cast<float>(static_cast<std::int32_t>(std::clamp(
                                         std::nearbyint(value * factor + zero), -128.0, 127.0)));
    }
    record_sfpu(current_thread(), call, site);
    float* out = units.dst.overwrite(odst, call, site,
                                     is_dequantise ? DstContent::Float : DstContent::Integer);
    std::ranges::copy(results, out);
    if (is_dequantise) {
        round_for_dst(units.dst, out);
    }
}

void add_integers(std::uint32_t idst, std::uint32_t idst_other, CallSite site) {
    constexpr const char* kCall = "sfpu_add_int";
    Dst& dst = current_units(kCall, site).dst;
    float* tile = dst.update(idst, kCall, site, DstContent::Integer);
    const float* other = dst.update(idst_other, kCall, site, DstContent::Integer);
    record_sfpu(current_thread(), kCall, site);
    for (std::uint32_t i = 0; i < kTileElements; ++i) {
        tile[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(tile[i]) +
                                       std::bit_cast<std::uint32_t>(other[i]));
    }
}

void mask_with_infinity(std::uint32_t idst, CallSite site) {
    constexpr const char* kCall = "mask_posinf_tile";
    ComputeState& units = current_units(kCall, site);
    float* tile = units.dst.update(idst, kCall, site);
    const float* mask = dst_tile_as_is(units.dst, idst + 1, kCall, site);
    record_sfpu(current_thread(), kCall, site);
    if (units.maths == Maths::Off) {
        return;
    }
    for (std::uint32_t i = 0; i < kTileElements; ++i) {
        tile[i] = mask[i] == 0.0F ? std::numeric_limits<float>::infinity() : tile[i];
    }
}

void round_to_decimals(std::uint32_t idst, std::int32_t decimals, CallSite site) {
    constexpr const char* kCall = "round_tile";
    ComputeState& units = current_units(kCall, site);
    float* tile = units.dst.update(idst, kCall, site);
    record_sfpu(current_thread(), kCall, site);
    if (units.maths == Maths::Off) {
        return;
    }
    const double scale = std::pow(10.0, decimals);
    for (std::uint32_t i = 0; i < kTileElements; ++i) {
        tile[i] = static_cast<float>(std::nearbyint(static_cast<double>(tile[i]) * scale) / scale);
    }
    round_for_dst(units.dst, tile);
}

void scalar_on_left(ScalarOnLeft operation, std::uint32_t idst, float scalar, CallSite site) {
    const char* call = operation == ScalarOnLeft::Power ? "rpow_tile" : "rdiv_tile";
    ComputeState& units = current_units(call, site);
    float* tile = units.dst.update(idst, call, site);
    record_sfpu(current_thread(), call, site);
    if (units.maths == Maths::Off) {
        return;
    }
    const auto left = static_cast<double>(scalar);
    for (std::uint32_t i = 0; i < kTileElements; ++i) {
        const auto right = static_cast<double>(tile[i]);
        const double quotient = left / right;
        tile[i] =
            static_cast<float>(operation == ScalarOnLeft::Power             ? std::pow(left, right)
                               : operation == ScalarOnLeft::DivideTruncated ? std::trunc(quotient)
                               : operation == ScalarOnLeft::DivideFloored   ? std::floor(quotient)
                                                                            : quotient);
    }
    round_for_dst(units.dst, tile);
}

}  // namespace tessera::kernel
