// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/random_values.hpp"

#include <fmt/format.h>

#include <cstring>

#include "emu/base/bf16.hpp"
#include "emu/base/counted_random.hpp"
#include "emu/base/random_tensor.hpp"

namespace tessera::run {
namespace {

// A bfloat16 value, and a second one 2^-8 as large for the bits behind it.
HostTensor normal_floats(const Shape& shape, std::uint64_t seed, float stddev) {
    const HostTensor high = make_normal_bf16(shape, {.seed = seed, .stddev = stddev});
    const HostTensor low = make_normal_bf16(shape, {.seed = mix64(seed), .stddev = stddev / 256});
    HostTensor tensor = make_host_tensor(shape, DataFormat::Float32);
    const auto out = tensor.as<float>();
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] =
            bf16_to_float(high.as<std::uint16_t>()[i]) + bf16_to_float(low.as<std::uint16_t>()[i]);
    }
    return tensor;
}

HostTensor random_bits(const TensorSpec& spec, std::uint64_t seed) {
    HostTensor tensor = make_host_tensor(spec.shape, spec.format);
    for (std::size_t i = 0; i < tensor.bytes.size(); i += sizeof(std::uint64_t)) {
        const std::uint64_t word = random_word(seed, i);
        std::memcpy(tensor.bytes.data() + i, &word,
                    std::min(sizeof(word), tensor.bytes.size() - i));
    }
    return tensor;
}

}  // namespace

HostTensor random_values(const TensorSpec& spec, const Draw& draw, float stddev) {
    const std::uint64_t seed =
        seed_for(draw.seed, fmt::format("{} of device {}", draw.name, draw.device));
    if (spec.format == DataFormat::Float16_b) {
        return make_normal_bf16(spec.shape, {.seed = seed, .stddev = stddev});
    }
    if (spec.format == DataFormat::Float32 || is_block_format(spec.format)) {
        return normal_floats(spec.shape, seed, stddev);
    }
    return random_bits(spec, seed);
}

}  // namespace tessera::run
