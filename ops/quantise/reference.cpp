// SPDX-License-Identifier: Apache-2.0
// Codes and scales in plain loops, block by block.
#include <algorithm>
#include <bit>
#include <cmath>

#include "ops/quantise/quantise.hpp"
#include "ops/shared/expert_rows/counted_rows.hpp"
#include "ops/shared/host_floats.hpp"

namespace tessera::ops::quantise {
namespace {

using fp8::kBlock;

/// Rounds to an integer. NaN stays NaN, as in the vector unit: rows of padding may hold it.
float integer_of(float quotient) {
    if (std::isnan(quotient)) {
        return quotient;
    }
    // The cast through int removes a negative zero, which the kernel's codes do not have.
    return static_cast<float>(static_cast<int>(std::nearbyint(quotient)));
}

/// Writes the code of each number to the place of the number.
class CodeWriter {
public:
    CodeWriter(HostTensor& codes, const QuantiseSpec& spec) : codes_(codes), spec_(spec) {}

    void put(std::size_t at, float value, float scale) {
        if (spec_.codes == Codes::Fp8E4m3) {
            codes_.as<std::uint8_t>()[at] = fp8::code_of(value, scale, spec_.rule);
            return;
        }
        const float code = integer_of(value / scale);
        if (spec_.codes == Codes::Int8Bytes) {
            codes_.as<std::uint8_t>()[at] =
                static_cast<std::uint8_t>(static_cast<int>(code) + fp8::kByteZero);
            return;
        }
        if (codes_.format == DataFormat::Float32) {
            codes_.as<float>()[at] = code;
        } else {
            // Integers up to 127 are exact in bfloat16, so that the upper half is the number.
            codes_.as<std::uint16_t>()[at] =
                static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(code) >> 16U);
        }
    }

private:
    HostTensor& codes_;
    const QuantiseSpec& spec_;
};

/// The elements of one block: rows and columns from a corner on, of rows counted through.
struct Region {
    std::size_t row, rows, column, columns;
};

/// A matrix, whose blocks are `rows` by `columns`, from row `first` on.
struct Matrix {
    std::size_t first, num_rows, width, rows, columns;
};

std::vector<Region> regions_of(const Matrix& matrix) {
    // Row by row of blocks, as the scales are stored.
    std::vector<Region> regions;
    for (std::size_t row = 0; row < matrix.num_rows; row += matrix.rows) {
        for (std::size_t column = 0; column < matrix.width; column += matrix.columns) {
            regions.push_back({matrix.first + row, std::min(matrix.rows, matrix.num_rows - row),
                               column, std::min(matrix.columns, matrix.width - column)});
        }
    }
    return regions;
}

/// Returns the blocks of an input in the order of their scales.
std::vector<Region> regions_of(const Shape& shape, bool are_matrices, ScaleBlock block) {
    // Whole blocks ignore 128: the block is the matrix, or all rows.
    const bool is_whole = block == ScaleBlock::Matrix || block == ScaleBlock::Tensor;
    const std::size_t width = shape.back();
    const std::size_t all = num_elements(shape) / width;
    const std::size_t each = are_matrices ? shape[shape.size() - 2] : all;
    const std::size_t rows = is_whole ? each : block == ScaleBlock::Square128 ? kBlock : 1;
    const std::size_t columns = is_whole || block == ScaleBlock::Row ? width : kBlock;
    std::vector<Region> regions;
    for (std::size_t first = 0; first < all; first += each) {
        const auto own = regions_of(Matrix{first, each, width, rows, columns});
        regions.insert(regions.end(), own.begin(), own.end());
    }
    return regions;
}

std::vector<float> counted_values(const ReferenceContext& context) {
    std::vector<float> values = floats_of(context.read("input"_in));
    if (context.has("counts"_in)) {
        const std::size_t width = context.in("input"_in).shape().back();
        const auto is_counted =
            counted_flags(static_cast<std::uint32_t>(values.size() / width),
                          context.read("counts"_in), context.params<QuantiseSpec>().counted_by);
        for (std::size_t i = 0; i < values.size(); ++i) {
            // Rows that do not count are zeros, so that they do not enter the scale of a tensor.
            values[i] = is_counted[i / width] ? values[i] : 0;
        }
    }
    return values;
}

/// Calls `act` for each place of a region in rows of `width` elements.
template <class Act>
void for_each_place(const Region& region, std::size_t width, const Act& act) {
    for (std::size_t row = region.row; row < region.row + region.rows; ++row) {
        for (std::size_t c = region.column; c < region.column + region.columns; ++c) {
            act(row * width + c);
        }
    }
}

}  // namespace

std::vector<HostTensor> reference_of_blocks(const ReferenceContext& context) {
    const auto& spec = context.params<QuantiseSpec>();
    const Shape& shape = context.in("input"_in).shape();
    const std::vector<float> values = counted_values(context);
    if (micro_block(spec.block)) {
        return micro_reference(context, values);
    }
    const DataFormat format = context.outputs["codes"_out].spec.format;
    // Codes in a block format are compared as numbers.
    HostTensor codes =
        make_host_tensor(shape, is_block_format(format) ? DataFormat::Float32 : format);
    CodeWriter writer(codes, spec);
    if (spec.block == ScaleBlock::Static) {
        const float scale = context.read("static_scale"_in).as<float>()[0];
        for (std::size_t at = 0; at < values.size(); ++at) {
            writer.put(at, values[at], scale);
        }
        return list_of(std::move(codes));
    }
    HostTensor scales =
        make_host_tensor(context.outputs["scale"_out].spec.shape, DataFormat::Float32);
    const bool are_matrices = context.outputs["codes"_out].spec.layout == Layout::TILE;
    const std::vector<Region> regions = regions_of(shape, are_matrices, spec.block);
    for (std::size_t i = 0; i < regions.size(); ++i) {
        float largest = 0;
        for_each_place(regions[i], shape.back(),
                       [&](std::size_t at) { largest = std::max(largest, std::fabs(values[at])); });
        const float scale = fp8::scale_of(largest, spec.rule, largest_code(spec.codes));
        scales.as<float>()[i] = scale;
        for_each_place(regions[i], shape.back(),
                       [&](std::size_t at) { writer.put(at, values[at], scale); });
    }
    return list_of(std::move(codes), std::move(scales));
}

}  // namespace tessera::ops::quantise
