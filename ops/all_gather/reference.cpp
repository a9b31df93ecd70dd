// SPDX-License-Identifier: Apache-2.0
#include "ops/all_gather/all_gather.hpp"

namespace tessera::ops::all_gather {

HostTensor reference(std::span<const HostTensor> inputs) {
    HostTensor whole{inputs[0].shape, inputs[0].format, {}};
    whole.shape[0] *= static_cast<std::uint32_t>(inputs.size());
    for (const HostTensor& slice : inputs) {
        whole.bytes.insert(whole.bytes.end(), slice.bytes.begin(), slice.bytes.end());
    }
    return whole;
}

}  // namespace tessera::ops::all_gather
