// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstddef>
#include <cstdint>

#include "ops/all_reduce/all_reduce.hpp"

namespace tessera::ops::all_reduce {
namespace {

double from_bf16(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

}  // namespace

HostTensor reference(std::span<const HostTensor> inputs) {
    HostTensor sum = make_host_tensor(inputs.front().shape, DataFormat::Float32);
    const auto out = sum.as<float>();
    for (std::size_t i = 0; i < out.size(); ++i) {
        double total = 0;
        for (const HostTensor& input : inputs) {
            total += from_bf16(input.as<std::uint16_t>()[i]);
        }
        out[i] = static_cast<float>(total);
    }
    return sum;
}

}  // namespace tessera::ops::all_reduce
