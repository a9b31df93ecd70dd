// SPDX-License-Identifier: Apache-2.0
// Tensors: shape, layout and format of values on the host or in a device's buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tessera/buffer.hpp"
#include "tessera/data_format.hpp"
#include "tessera/tile.hpp"

namespace tessera {

enum class Layout : std::uint8_t { ROW_MAJOR, TILE };

using Shape = std::vector<std::uint32_t>;

/// Returns the product of the extents; 1 for a scalar's empty shape.
/// Errors   UsageError if it does not fit in 64 bits.
[[nodiscard]] std::uint64_t num_elements(const Shape& shape);
/// Returns the shape as text: "(3,33,48)".
[[nodiscard]] std::string to_string(const Shape& shape);

/// Shape, format and layout of a tensor, without its address. `shape` is the logical shape. TILE
/// layout pads the last two dimensions of each matrix to whole tiles with zeros.
struct TensorSpec {
    Shape shape;
    DataFormat format = DataFormat::Float16_b;
    Layout layout = Layout::ROW_MAJOR;
    Tile tile = {};  ///< used by TILE layout; ops accept 32×32 only

    /// Returns the shape with the last two dimensions padded for TILE (a vector becomes one row),
    /// or the logical shape for ROW_MAJOR.
    [[nodiscard]] Shape padded_shape() const;
    /// Returns the bytes of a page: one tile for TILE, one row (the last dimension) for ROW_MAJOR.
    /// Errors   UsageError if the layout of a block format is not TILE.
    [[nodiscard]] std::uint32_t page_size() const;
    /// Returns the number of pages: tiles of the padded shape, or rows.
    [[nodiscard]] std::uint32_t num_pages() const;
    /// Returns the bytes of all pages, without alignment between them.
    [[nodiscard]] std::uint64_t num_bytes() const;
    friend bool operator==(const TensorSpec&, const TensorSpec&) = default;
};

/// A tensor in a device's memory.
struct DeviceTensor {
    TensorSpec spec;
    Buffer buffer;
};

/// A tensor on the host, always row-major in its logical shape.
struct HostTensor {
    Shape shape;
    DataFormat format = DataFormat::Float16_b;
    std::vector<std::byte> bytes;

    /// Returns the elements as values of type T, row-major.
    /// Precondition   sizeof(T) is the size of an element.
    template <class T>
    [[nodiscard]] std::span<const T> as() const {
        return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
    }
    template <class T>
    [[nodiscard]] std::span<T> as() {
        return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
    }
};

/// Returns a tensor of zeros.
/// Errors   UsageError for a block format.
[[nodiscard]] HostTensor make_host_tensor(Shape shape, DataFormat format);

}  // namespace tessera
