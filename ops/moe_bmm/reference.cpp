// SPDX-License-Identifier: Apache-2.0
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>

#include "ops/moe_bmm/expert_reference.hpp"
#include "ops/moe_bmm/moe_bmm.hpp"

namespace tessera::ops::moe_bmm {
namespace {

/// Output columns of one task.
constexpr std::uint32_t kTaskColumns = 128;

}  // namespace

HostTensor reference(const HostTensor& input_hidden_state, const HostTensor& expert_weights,
                     std::span<const std::uint32_t> num_routed_tokens) {
    const Shape& in = input_hidden_state.shape;
    const std::uint32_t inner = in.at(2);
    const std::uint32_t columns = expert_weights.shape.at(2);
    HostTensor output = make_host_tensor({in.at(0), in.at(1), columns}, DataFormat::Float32);
    const std::size_t matrix = std::size_t{in.at(1)} * columns;
    const std::uint32_t parts = (columns + kTaskColumns - 1) / kTaskColumns;
    tbb::parallel_for(std::uint32_t{0}, in.at(0) * parts, [&](std::uint32_t task) {
        const std::uint32_t expert = task / parts;
        const std::uint32_t first = task % parts * kTaskColumns;
        ExpertReference sums(input_hidden_state, expert, num_routed_tokens[expert],
                             {first, std::min(kTaskColumns, columns - first)});
        sums.add(expert_weights, std::uint64_t{expert} * inner, 0, inner);
        sums.store(output.as<float>().subspan(expert * matrix, matrix), columns);
    });
    return output;
}

}  // namespace tessera::ops::moe_bmm
