// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "ops/reduce_scatter/algorithms.hpp"
#include "ops/shared/exchange/collective.hpp"
#include "ops/shared/host_floats.hpp"

namespace tessera::ops::reduce_scatter {

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const std::vector<HostTensor> inputs = context.read_all("input"_in);
    const std::size_t device = context.position;
    Shape shape = inputs.front().shape;
    shape[0] /= static_cast<std::uint32_t>(inputs.size());
    const auto rows = exchange::part_rows(context, "counts"_in, shape[0]);
    HostTensor slice = make_host_tensor(shape, DataFormat::Float32);
    const auto out = slice.as<float>();
    const std::size_t row = out.size() / shape[0];
    const std::size_t first =
        row * std::accumulate(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(device),
                              std::size_t{0});
    // In double: devices add in different orders, and the tolerance covers their roundings only.
    std::vector<double> totals(row * rows[device]);
    std::vector<float> values(totals.size());
    for (const HostTensor& input : inputs) {
        read_floats(input, first, values);
        std::transform(totals.begin(), totals.end(), values.begin(), totals.begin(), std::plus<>());
    }
    std::ranges::transform(totals, out.begin(),
                           [](double total) { return static_cast<float>(total); });
    return list_of(std::move(slice));
}

}  // namespace tessera::ops::reduce_scatter
