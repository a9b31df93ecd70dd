// SPDX-License-Identifier: Apache-2.0
#include "ops/valid_tiles/eltwise_reference.hpp"

#include <oneapi/tbb/parallel_for.h>

#include "ops/host_floats.hpp"

namespace tessera::ops {
namespace {

/// One row of every input, element by element next to each other.
std::vector<double> interleaved_rows(const std::vector<const HostTensor*>& inputs,
                                     std::uint64_t first, std::uint32_t columns) {
    std::vector<float> row(columns);
    std::vector<double> values(inputs.size() * columns);
    for (std::size_t input = 0; input < inputs.size(); ++input) {
        read_floats(*inputs[input], first, row);
        for (std::uint32_t column = 0; column < columns; ++column) {
            values[column * inputs.size() + input] = row[column];
        }
    }
    return values;
}

}  // namespace

HostTensor eltwise_reference(const std::vector<const HostTensor*>& inputs,
                             std::span<const std::uint32_t> num_routed_tokens,
                             const ElementFunction& function) {
    const Shape& shape = inputs.at(0)->shape;
    const std::uint32_t tokens = shape.at(1);
    const std::uint32_t columns = shape.at(2);
    HostTensor output = make_host_tensor(shape, DataFormat::Float32);
    const auto out = output.as<float>();
    tbb::parallel_for(std::uint32_t{0}, shape.at(0) * tokens, [&](std::uint32_t row) {
        if (row % tokens >= num_routed_tokens[row / tokens]) {
            return;
        }
        const std::uint64_t first = std::uint64_t{row} * columns;
        const std::vector<double> values = interleaved_rows(inputs, first, columns);
        for (std::uint32_t column = 0; column < columns; ++column) {
            const auto at = std::span(values).subspan(column * inputs.size(), inputs.size());
            out[first + column] = static_cast<float>(function(at));
        }
    });
    return output;
}

}  // namespace tessera::ops
