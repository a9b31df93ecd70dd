// SPDX-License-Identifier: Apache-2.0
#include "runtime/steps/value_array.hpp"

#include <algorithm>
#include <array>

#include "emu/base/bf16.hpp"
#include "tessera/errors.hpp"

namespace tessera::pipeline {

void require_supported(DataFormat format) {
    constexpr std::array kSupported{DataFormat::Float16_b, DataFormat::Float32, DataFormat::Int32,
                                    DataFormat::UInt32,    DataFormat::UInt16,  DataFormat::UInt8};
    require(std::ranges::find(kSupported, format) != kSupported.end(),
            "{} is not supported in an expression; allowed: bfloat16, float32, integers",
            name_of(format));
}

ValueArray to_array(const HostTensor& tensor) {
    ValueArray array{tensor.shape, std::vector<double>(num_elements(tensor.shape))};
    const auto convert = [&](const auto& elements, auto widen) {
        for (std::size_t i = 0; i < array.values.size(); ++i) {
            array.values[i] = widen(elements[i]);
        }
    };
    const auto plain = [](auto value) { return static_cast<double>(value); };
    require_supported(tensor.format);
    switch (tensor.format) {
        case DataFormat::Float16_b:
            convert(tensor.as<std::uint16_t>(),
                    [](std::uint16_t bits) -> double { return bf16_to_float(bits); });
            break;
        case DataFormat::Int32:
            convert(tensor.as<std::int32_t>(), plain);
            break;
        case DataFormat::UInt32:
            convert(tensor.as<std::uint32_t>(), plain);
            break;
        case DataFormat::UInt16:
            convert(tensor.as<std::uint16_t>(), plain);
            break;
        case DataFormat::UInt8:
            convert(tensor.as<std::uint8_t>(), plain);
            break;
        default:
            convert(tensor.as<float>(), plain);
    }
    return array;
}

std::size_t extent_from_end(const Shape& shape, std::size_t back) {
    return back < shape.size() ? shape[shape.size() - 1 - back] : 1;
}

std::size_t source_of(const Shape& from, const Shape& shape, std::size_t index) {
    std::size_t source = 0;
    std::size_t stride = 1;
    for (std::size_t back = 0; back < shape.size(); ++back) {
        const std::size_t extent = extent_from_end(shape, back);
        const std::size_t own = extent_from_end(from, back);
        source += (own == 1 ? 0 : index % extent) * stride;
        stride *= own;
        index /= extent;
    }
    return source;
}

void add_product(const double* left, const double* right, const ProductExtents& extents,
                 double* out) {
    const auto [rows, inner, columns] = extents;
    for (std::size_t i = 0; i < rows; ++i) {
        // k before j: rows of `right` and `out` are read in order.
        for (std::size_t k = 0; k < inner; ++k) {
            for (std::size_t j = 0; j < columns; ++j) {
                out[i * columns + j] += left[i * inner + k] * right[k * columns + j];
            }
        }
    }
}

}  // namespace tessera::pipeline
