// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "ops/all_reduce/all_reduce.hpp"
#include "ops/host_floats.hpp"

namespace tessera::ops::all_reduce {

HostTensor reference(std::span<const HostTensor> inputs) {
    HostTensor sum = make_host_tensor(inputs.front().shape, DataFormat::Float32);
    const auto out = sum.as<float>();
    for (std::size_t i = 0; i < out.size(); ++i) {
        double total = 0;
        for (const HostTensor& input : inputs) {
            total += bf16_to_float(input.as<std::uint16_t>()[i]);
        }
        out[i] = static_cast<float>(total);
    }
    return sum;
}

}  // namespace tessera::ops::all_reduce
