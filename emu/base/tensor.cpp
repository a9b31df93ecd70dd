// SPDX-License-Identifier: Apache-2.0
#include "tessera/tensor.hpp"

#include <fmt/ranges.h>

#include <limits>
#include <utility>

#include "emu/base/round_up.hpp"
#include "tessera/errors.hpp"
#include "tessera/huge_pages.hpp"

namespace tessera {
namespace {

std::uint32_t to_word(std::uint64_t value, const char* what, const Shape& shape) {
    require(value <= std::numeric_limits<std::uint32_t>::max(),
            "TensorSpec: shape {}: {} {} does not fit in 32 bits", to_string(shape), what, value);
    return static_cast<std::uint32_t>(value);
}

std::uint32_t last_extent(const Shape& shape) {
    return shape.empty() ? 1 : shape.back();
}

}  // namespace

std::uint64_t num_elements(const Shape& shape) {
    std::uint64_t count = 1;
    for (const std::uint32_t extent : shape) {
        require(!__builtin_mul_overflow(count, std::uint64_t{extent}, &count),
                "num_elements: shape {} has more than 2^64 elements", to_string(shape));
    }
    return count;
}

std::string to_string(const Shape& shape) {
    return fmt::format("({})", fmt::join(shape, ","));
}

Shape TensorSpec::padded_shape() const {
    if (layout == Layout::ROW_MAJOR) {
        return shape;
    }
    Shape padded = shape;
    padded.insert(padded.begin(), padded.size() < 2 ? 2 - padded.size() : 0, 1);
    for (std::size_t i = 0; i < 2; ++i) {
        std::uint32_t& extent = padded[padded.size() - 2 + i];
        extent = to_word(round_up(std::uint64_t{extent}, tile.get_tile_shape()[i]), "padded extent",
                         shape);
    }
    return padded;
}

std::uint32_t TensorSpec::page_size() const {
    require(format != DataFormat::Invalid, "TensorSpec: shape {}: format is invalid",
            to_string(shape));
    if (layout == Layout::TILE) {
        return tile.get_tile_size(format);
    }
    require(!is_block_format(format),
            "TensorSpec: shape {}: {} needs TILE layout; its elements share exponents",
            to_string(shape), name_of(format));
    return to_word(std::uint64_t{last_extent(shape)} * element_bytes(format), "page size", shape);
}

std::uint32_t TensorSpec::num_pages() const {
    if (layout == Layout::TILE) {
        return to_word(num_elements(padded_shape()) / tile.get_tile_hw(), "number of pages", shape);
    }
    const std::uint32_t row = last_extent(shape);
    return row == 0 ? 0 : to_word(num_elements(shape) / row, "number of pages", shape);
}

std::uint64_t TensorSpec::num_bytes() const {
    return std::uint64_t{num_pages()} * page_size();
}

HostTensor make_host_tensor(Shape shape, DataFormat format) {
    require(element_bytes(format) > 0,
            "make_host_tensor: format {} has no bytes per element; use a format without shared "
            "exponents",
            name_of(format));
    const std::uint64_t bytes = num_elements(shape) * element_bytes(format);
    HostTensor tensor{std::move(shape), format, {}};
    tensor.bytes.reserve(bytes);
    commit_huge_pages(tensor.bytes.data(), bytes);
    tensor.bytes.resize(bytes);
    return tensor;
}

}  // namespace tessera
