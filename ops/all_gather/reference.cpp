// SPDX-License-Identifier: Apache-2.0
#include "ops/all_gather/place.hpp"
#include "ops/shared/exchange/collective.hpp"

namespace tessera::ops::all_gather {

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const std::vector<HostTensor> inputs = context.read_all("input"_in);
    const auto rows = exchange::part_rows(context, "counts"_in, inputs.front().shape[0]);
    HostTensor whole{inputs.front().shape, inputs.front().format, {}};
    whole.shape[0] *= static_cast<std::uint32_t>(inputs.size());
    for (std::size_t d = 0; d < inputs.size(); ++d) {
        const auto& bytes = inputs[d].bytes;
        // Uneven parts are contiguous; rows at the end of the output are not compared.
        const std::size_t taken = bytes.size() / inputs[d].shape[0] * rows[d];
        whole.bytes.insert(whole.bytes.end(), bytes.begin(),
                           bytes.begin() + static_cast<std::ptrdiff_t>(taken));
    }
    whole.bytes.resize(inputs.size() * inputs.front().bytes.size());
    return list_of(std::move(whole));
}

}  // namespace tessera::ops::all_gather
