// SPDX-License-Identifier: Apache-2.0
#include "ops/host_floats.hpp"
#include "ops/reduce_scatter/reduce_scatter.hpp"

namespace tessera::ops::reduce_scatter {

HostTensor reference(std::span<const HostTensor> inputs, std::uint32_t device) {
    Shape shape = inputs.front().shape;
    shape[0] /= static_cast<std::uint32_t>(inputs.size());
    HostTensor slice = make_host_tensor(shape, DataFormat::Float32);
    const auto out = slice.as<float>();
    for (std::size_t i = 0; i < out.size(); ++i) {
        double total = 0;
        for (const HostTensor& input : inputs) {
            total += bf16_to_float(input.as<std::uint16_t>()[device * out.size() + i]);
        }
        out[i] = static_cast<float>(total);
    }
    return slice;
}

}  // namespace tessera::ops::reduce_scatter
