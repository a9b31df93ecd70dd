// SPDX-License-Identifier: Apache-2.0
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <vector>

#include "ops/host_floats.hpp"
#include "ops/moe_bmm/moe_bmm.hpp"

namespace tessera::ops::moe_bmm {
namespace {

/// Output columns of one task: sums of a few dozen tokens stay in the host's cache.
constexpr std::uint32_t kStripColumns = 128;

struct Extents {
    std::uint32_t experts, tokens, inner, columns;
};

/// A strip of output columns of one expert.
struct Strip {
    std::uint32_t expert = 0;
    std::uint32_t first = 0;
    std::uint32_t columns = 0;
    std::uint32_t tokens = 0;
};

void multiply_strip(const HostTensor& input, const HostTensor& weights, const Extents& extents,
                    const Strip& strip, std::span<float> output) {
    std::vector<double> sums(std::size_t{strip.tokens} * strip.columns);
    std::vector<float> inputs(std::size_t{strip.tokens} * extents.inner);
    std::vector<float> row(strip.columns);
    read_floats(input, std::uint64_t{strip.expert} * extents.tokens * extents.inner, inputs);
    for (std::uint32_t k = 0; k < extents.inner; ++k) {
        const std::uint64_t weight_row = std::uint64_t{strip.expert} * extents.inner + k;
        read_floats(weights, weight_row * extents.columns + strip.first, row);
        for (std::uint32_t token = 0; token < strip.tokens; ++token) {
            const double factor = inputs[std::size_t{token} * extents.inner + k];
            double* sum = sums.data() + std::size_t{token} * strip.columns;
            for (std::uint32_t column = 0; column < strip.columns; ++column) {
                sum[column] += factor * static_cast<double>(row[column]);
            }
        }
    }
    for (std::uint32_t token = 0; token < strip.tokens; ++token) {
        const std::uint64_t out_row = std::uint64_t{strip.expert} * extents.tokens + token;
        const auto first = sums.begin() + static_cast<std::ptrdiff_t>(token) * strip.columns;
        std::transform(first, first + strip.columns,
                       output.begin() +
                           static_cast<std::ptrdiff_t>(out_row * extents.columns + strip.first),
                       [](double sum) { return static_cast<float>(sum); });
    }
}

}  // namespace

HostTensor reference(const HostTensor& input_hidden_state, const HostTensor& expert_weights,
                     std::span<const std::uint32_t> num_routed_tokens) {
    const Shape& in = input_hidden_state.shape;
    const Extents extents{in.at(0), in.at(1), in.at(2), expert_weights.shape.at(2)};
    HostTensor output =
        make_host_tensor({extents.experts, extents.tokens, extents.columns}, DataFormat::Float32);
    const std::uint32_t strips = (extents.columns + kStripColumns - 1) / kStripColumns;
    tbb::parallel_for(std::uint32_t{0}, extents.experts * strips, [&](std::uint32_t task) {
        const std::uint32_t expert = task / strips;
        const std::uint32_t first = task % strips * kStripColumns;
        multiply_strip(input_hidden_state, expert_weights, extents,
                       {expert, first, std::min(kStripColumns, extents.columns - first),
                        num_routed_tokens[expert]},
                       output.as<float>());
    });
    return output;
}

}  // namespace tessera::ops::moe_bmm
