// SPDX-License-Identifier: Apache-2.0
#include "ops/all_gather/all_gather.hpp"

namespace tessera::ops::all_gather {

HostTensor reference(std::span<const HostTensor> inputs, std::span<const std::uint32_t> rows) {
    HostTensor whole{inputs[0].shape, inputs[0].format, {}};
    whole.shape[0] *= static_cast<std::uint32_t>(inputs.size());
    for (std::size_t d = 0; d < inputs.size(); ++d) {
        const auto& bytes = inputs[d].bytes;
        const std::size_t taken = bytes.size() / inputs[d].shape[0] * rows[d];
        whole.bytes.insert(whole.bytes.end(), bytes.begin(),
                           bytes.begin() + static_cast<std::ptrdiff_t>(taken));
    }
    whole.bytes.resize(inputs.size() * inputs.front().bytes.size());
    return whole;
}

}  // namespace tessera::ops::all_gather
