// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/operand_values.hpp"

#include "tessera/data_format.hpp"

namespace tessera::pipeline {
namespace {

/// Returns a view of the same pages as a longer stack of matrices with `rows` rows each. So some
/// rows can be read without the rest of their matrix.
DeviceTensor cut_into_rows(DeviceTensor tensor, std::uint32_t rows) {
    Shape& shape = tensor.spec.shape;
    shape = {shape.at(0) * (shape.at(1) / rows), rows, shape.at(2)};
    return tensor;
}

}  // namespace

HostTensor DeviceValues::first_rows(std::uint32_t index, std::uint32_t count) const {
    const std::uint32_t rows = tensor_.spec.shape.at(1);
    // Reads one row of tiles at a time if the matrix consists of whole rows of tiles: an expert
    // with 3 tokens in a matrix for 4096 needs 32 rows.
    if (rows % kTileRows != 0 || count == 0) {
        return session_.read_matrix(tensor_, index);
    }
    const DeviceTensor cut = cut_into_rows(tensor_, kTileRows);
    const std::uint32_t first = index * (rows / kTileRows);
    HostTensor result = session_.read_matrix(cut, first);
    for (std::uint32_t have = kTileRows; have < count; have += kTileRows) {
        const HostTensor more = session_.read_matrix(cut, first + have / kTileRows);
        result.bytes.insert(result.bytes.end(), more.bytes.begin(), more.bytes.end());
        result.shape[1] += kTileRows;
    }
    return result;
}

HostTensor DeviceValues::rows(std::uint64_t first, std::uint32_t count) const {
    return session_.read_matrix(cut_into_rows(tensor_, count),
                                static_cast<std::uint32_t>(first / count));
}

// Draws or reads the whole tensor, since origins have no values by row.
HostTensor OriginValues::first_rows(std::uint32_t index, std::uint32_t count) const {
    return HostValues(all()).first_rows(index, count);
}

HostTensor OriginValues::rows(std::uint64_t first, std::uint32_t count) const {
    return HostValues(all()).rows(first, count);
}

HostTensor HostValues::first_rows(std::uint32_t index, std::uint32_t count) const {
    return rows(std::uint64_t{index} * tensor_.shape.at(1), count);
}

HostTensor HostValues::rows(std::uint64_t first, std::uint32_t count) const {
    const std::size_t row = std::size_t{tensor_.shape.at(2)} * element_bytes(tensor_.format);
    const auto begin = tensor_.bytes.begin() + static_cast<std::ptrdiff_t>(first * row);
    return {{1, count, tensor_.shape[2]},
            tensor_.format,
            {begin, begin + static_cast<std::ptrdiff_t>(count * row)}};
}

HostTensor valid_rows(const ops::OperandValues& values, DataFormat format,
                      std::span<const std::uint32_t> counts) {
    HostTensor kept{values.shape(), format, {}};
    const std::size_t row = std::size_t{kept.shape.at(2)} * element_bytes(format);
    for (std::uint32_t index = 0; index < counts.size(); ++index) {
        // Experts without tokens have no rows and are not read.
        if (counts[index] != 0) {
            const HostTensor rows = values.first_rows(index, counts[index]);
            const auto size = static_cast<std::ptrdiff_t>(counts[index] * row);
            kept.bytes.insert(kept.bytes.end(), rows.bytes.begin(), rows.bytes.begin() + size);
        }
    }
    return kept;
}

}  // namespace tessera::pipeline
