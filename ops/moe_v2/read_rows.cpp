// SPDX-License-Identifier: Apache-2.0
#include "ops/moe_v2/read_rows.hpp"

namespace tessera::ops::moe_v2 {
DeviceTensor cut_into_rows(DeviceTensor tensor, std::uint32_t rows) {
    Shape& shape = tensor.spec.shape;
    shape = {shape.at(0) * (shape.at(1) / rows), rows, shape.at(2)};
    return tensor;
}

HostTensor read_rows(const Session& session, const DeviceTensor& tensor, std::uint32_t expert,
                     std::uint32_t count) {
    const std::uint32_t rows = tensor.spec.shape.at(1);
    if (rows % kTileRows != 0 || count == 0) {
        return session.read_matrix(tensor, expert);
    }
    const DeviceTensor cut = cut_into_rows(tensor, kTileRows);
    const std::uint32_t first = expert * (rows / kTileRows);
    HostTensor result = session.read_matrix(cut, first);
    for (std::uint32_t have = kTileRows; have < count; have += kTileRows) {
        const HostTensor more = session.read_matrix(cut, first + have / kTileRows);
        result.bytes.insert(result.bytes.end(), more.bytes.begin(), more.bytes.end());
        result.shape[1] += kTileRows;
    }
    return result;
}

HostTensor read_valid_rows(const Session& session, const DeviceTensor& tensor,
                           std::span<const std::uint32_t> counts) {
    const TensorSpec& spec = tensor.spec;
    HostTensor kept{spec.shape, spec.format, {}};
    const std::size_t row_bytes = std::size_t{spec.shape.at(2)} * element_bytes(spec.format);
    for (std::uint32_t expert = 0; expert < counts.size(); ++expert) {
        if (counts[expert] != 0) {
            const HostTensor rows = read_rows(session, tensor, expert, counts[expert]);
            const auto size = static_cast<std::ptrdiff_t>(counts[expert] * row_bytes);
            kept.bytes.insert(kept.bytes.end(), rows.bytes.begin(), rows.bytes.begin() + size);
        }
    }
    return kept;
}

}  // namespace tessera::ops::moe_v2
