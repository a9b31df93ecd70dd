// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/sfpu.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "emu/api/compute/compute_trace.hpp"
#include "emu/api/compute/sfpu_init.hpp"
#include "emu/api/compute/units.hpp"
#include "emu/core/fault.hpp"
#include "emu/tile/dst_binary.hpp"
#include "tessera/kernel/compute/sfpu.hpp"

namespace tessera {
namespace {

using ckernel::VectorMode;
using kernel::Sfpu;
using tile::BinaryOp;

// The chip stores results of scalar operations without a rounding step.
bool is_truncated(Sfpu function) {
    return function == Sfpu::AddScalar || function == Sfpu::SubScalar ||
           function == Sfpu::MulScalar || function == Sfpu::RsubScalar;
}

void scale(float* tile, float factor) {
    tile::unary_with_scalar_tile(BinaryOp::Mul, tile, factor);
}

void apply_exp(float* tile, float factor) {
    if (factor != 1.0F) {
        scale(tile, factor);
    }
    tile::sfpu::exp(tile);
}

void apply_power(float* tile, std::uint32_t exponent, const char* call, CallSite site) {
    constexpr std::uint32_t kLargestInteger = 0xFFFF;  // fp32 patterns of normal values lie above
    if (exponent > kLargestInteger) {
        fault(FaultCategory::Unimplemented, site, "{} with the fp32 exponent {:#010x}", call,
              exponent);
    }
    tile::sfpu::power(tile, exponent);
}

void apply_unary(Sfpu function, float* tile) {
    switch (function) {
        case Sfpu::Abs:
            return tile::sfpu::abs(tile);
        case Sfpu::Eqz:
            return tile::sfpu::eqz(tile);
        case Sfpu::Gelu:
            return tile::sfpu::gelu(tile);
        case Sfpu::Gez:
            return tile::sfpu::gez(tile);
        case Sfpu::Gtz:
            return tile::sfpu::gtz(tile);
        case Sfpu::Lez:
            return tile::sfpu::lez(tile);
        case Sfpu::Log:
            return tile::sfpu::log(tile);
        case Sfpu::Ltz:
            return tile::sfpu::ltz(tile);
        case Sfpu::Negative:
            return tile::sfpu::negative(tile);
        case Sfpu::Nez:
            return tile::sfpu::nez(tile);
        case Sfpu::Recip:
            return tile::sfpu::recip(tile);
        case Sfpu::Relu:
            return tile::sfpu::relu(tile);
        case Sfpu::Rsqrt:
            return tile::sfpu::rsqrt(tile);
        case Sfpu::Sigmoid:
            return tile::sfpu::sigmoid(tile);
        case Sfpu::Sign:
            return tile::sfpu::sign(tile);
        case Sfpu::Silu:
            return tile::sfpu::silu(tile);
        case Sfpu::Sqrt:
            return tile::sfpu::sqrt(tile);
        case Sfpu::Square:
            return tile::sfpu::square(tile);
        case Sfpu::Tanh:
            return tile::sfpu::tanh(tile);
        default:
            return;  // Identity
    }
}

void apply(Sfpu function, float* tile, std::uint32_t parameter, const char* call, CallSite site) {
    const auto value = std::bit_cast<float>(parameter);
    switch (function) {
        case Sfpu::AddScalar:
            return tile::unary_with_scalar_tile(BinaryOp::Add, tile, value);
        case Sfpu::SubScalar:
            return tile::unary_with_scalar_tile(BinaryOp::Sub, tile, value);
        case Sfpu::MulScalar:
            return scale(tile, value);
        case Sfpu::RsubScalar:
            return tile::unary_with_scalar_tile(BinaryOp::Rsub, tile, value);
        case Sfpu::Exp:
            return apply_exp(tile, value);
        case Sfpu::Fill:
            return tile::sfpu::fill(tile, value);
        case Sfpu::LeakyRelu:
            return tile::sfpu::leaky_relu(tile, value);
        case Sfpu::LogWithBase:
            tile::sfpu::log(tile);
            return scale(tile, value);
        case Sfpu::Power:
            return apply_power(tile, parameter, call, site);
        case Sfpu::ReluMax:
            return tile::sfpu::relu_max(tile, value);
        case Sfpu::ReluMin:
            return tile::sfpu::relu_min(tile, value);
        default:
            return apply_unary(function, tile);
    }
}

// Puts back the faces that the vector mode leaves alone.
void restore_faces(int vector_mode, const float* before, float* tile) {
    for (std::uint32_t face = 0; face < kFacesPerTile; ++face) {
        const bool is_worked_on = vector_mode == VectorMode::R   ? face < 2
                                  : vector_mode == VectorMode::C ? face % 2 == 0
                                                                 : false;
        if (!is_worked_on) {
            const std::size_t first = std::size_t{face} * kFaceElements;
            std::copy_n(before + first, kFaceElements, tile + first);
        }
    }
}

void check_vector_mode(int vector_mode, const char* call, CallSite site) {
    if (vector_mode != VectorMode::RC && vector_mode != VectorMode::R &&
        vector_mode != VectorMode::C) {
        fault(FaultCategory::Unsupported, site, "{} with vector mode {}: 1 (R), 2 (C) or 4 (RC)",
              call, vector_mode);
    }
}

}  // namespace

void truncate_for_dst(const Dst& dst, float* tile) {
    if (dst.is_32bit()) {
        return;
    }
    std::transform(tile, tile + kTileElements, tile, [](float value) {
        return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & 0xFFFF0000U);
    });
}

namespace kernel {

void sfpu(Sfpu function, std::uint32_t idst, int vector_mode, std::uint32_t parameter,
          const char* call, CallSite site) {
    ComputeState& units = current_units(call, site);
    current_thread().last_call = site;
    require_sfpu_init(units, function, call, site);
    check_vector_mode(vector_mode, call, site);
    float* tile = function == Sfpu::Fill && vector_mode == VectorMode::RC
                      ? units.dst.overwrite(idst, call, site)
                      : units.dst.update(idst, call, site);
    record_sfpu(current_thread(), call, site,
                vector_mode == VectorMode::RC ? SfpuFaces::All : SfpuFaces::Half);
    if (units.maths == Maths::Off) {
        return;
    }
    float* before = units.scratch[0].data();
    if (vector_mode != VectorMode::RC) {
        std::copy_n(tile, kTileElements, before);
    }
    apply(function, tile, parameter, call, site);
    if (vector_mode != VectorMode::RC) {
        restore_faces(vector_mode, before, tile);
    }
    is_truncated(function) ? truncate_for_dst(units.dst, tile) : round_for_dst(units.dst, tile);
}

}  // namespace kernel
}  // namespace tessera
