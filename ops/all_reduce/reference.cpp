// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <vector>

#include "ops/all_reduce/all_reduce.hpp"
#include "ops/shared/host_floats.hpp"

namespace tessera::ops::all_reduce {

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const std::vector<HostTensor> inputs = context.read_all(only(kInputs));
    HostTensor sum = make_host_tensor(inputs.front().shape, DataFormat::Float32);
    const auto out = sum.as<float>();
    // In double: the ring's order differs from device to device, and the tolerance counts its
    // roundings.
    std::vector<double> totals(out.size());
    std::vector<float> values(out.size());
    for (const HostTensor& input : inputs) {
        read_floats(input, 0, values);
        std::transform(totals.begin(), totals.end(), values.begin(), totals.begin(), std::plus<>());
    }
    std::ranges::transform(totals, out.begin(),
                           [](double total) { return static_cast<float>(total); });
    return list_of(std::move(sum));
}

}  // namespace tessera::ops::all_reduce
