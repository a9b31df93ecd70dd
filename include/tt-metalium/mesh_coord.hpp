// SPDX-License-Identifier: Apache-2.0
// Shape of a mesh, coordinates of its devices, and rectangles of coordinates.
#pragma once

#include <fmt/ostream.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <ostream>
#include <span>
#include <vector>

#include "tt-metalium/core_coord.hpp"

namespace tt::tt_metal::distributed {

/// Extents of a mesh, outermost first. A mesh has rows and columns; one extent is a row.
class MeshShape {
public:
    explicit MeshShape(std::uint32_t columns) : extents_{columns} {}
    MeshShape(std::uint32_t rows, std::uint32_t columns) : extents_{rows, columns} {}
    explicit MeshShape(std::span<const std::uint32_t> extents)
        : extents_(extents.begin(), extents.end()) {}

    [[nodiscard]] std::size_t dims() const { return extents_.size(); }
    [[nodiscard]] std::size_t mesh_size() const;
    [[nodiscard]] std::uint32_t operator[](std::int32_t dim) const;
    [[nodiscard]] std::size_t get_stride(std::size_t dim) const;
    [[nodiscard]] bool is_line_topology() const;
    [[nodiscard]] std::uint32_t num_rows() const { return dims() < 2 ? 1 : extents_.front(); }
    [[nodiscard]] std::uint32_t num_cols() const { return extents_.back(); }
    friend bool operator==(const MeshShape&, const MeshShape&) = default;

private:
    std::vector<std::uint32_t> extents_;
};

/// Position of a device in a mesh.
class MeshCoordinate {
public:
    explicit MeshCoordinate(std::uint32_t column) : values_{column} {}
    MeshCoordinate(std::uint32_t row, std::uint32_t column) : values_{row, column} {}
    explicit MeshCoordinate(std::span<const std::uint32_t> values)
        : values_(values.begin(), values.end()) {}
    [[nodiscard]] static MeshCoordinate zero_coordinate(std::size_t dims) {
        return MeshCoordinate(std::vector<std::uint32_t>(dims));
    }

    [[nodiscard]] std::size_t dims() const { return values_.size(); }
    [[nodiscard]] std::span<const std::uint32_t> coords() const { return values_; }
    [[nodiscard]] std::uint32_t operator[](std::int32_t dim) const;
    [[nodiscard]] std::size_t to_linear_index(const MeshShape& shape) const;
    /// Result of a step over the edge of the mesh: WRAP continues at the other edge, CLAMP stays at
    /// the edge, and NONE returns no coordinate.
    enum class BoundaryMode { WRAP, CLAMP, NONE };
    /// Returns the coordinate `offset` steps away along axis `dim`.
    [[nodiscard]] std::optional<MeshCoordinate> get_neighbor(
        const MeshShape& shape, std::int32_t offset, std::int32_t dim,
        BoundaryMode mode = BoundaryMode::WRAP) const;
    friend auto operator<=>(const MeshCoordinate&, const MeshCoordinate&) = default;

private:
    std::vector<std::uint32_t> values_;
};

/// An inclusive rectangle of coordinates; iteration goes row by row.
class MeshCoordinateRange {
public:
    /// Errors   std::runtime_error if `end` is before `start` in an extent.
    MeshCoordinateRange(const MeshCoordinate& start, const MeshCoordinate& end);
    explicit MeshCoordinateRange(const MeshCoordinate& coordinate)
        : MeshCoordinateRange(coordinate, coordinate) {}
    explicit MeshCoordinateRange(const MeshShape& shape);

    [[nodiscard]] std::size_t dims() const { return start_.dims(); }
    [[nodiscard]] const MeshCoordinate& start_coord() const { return start_; }
    [[nodiscard]] const MeshCoordinate& end_coord() const { return end_; }
    [[nodiscard]] MeshShape shape() const;
    [[nodiscard]] bool contains(const MeshCoordinate& coordinate) const;
    [[nodiscard]] bool contains(const MeshCoordinateRange& range) const;
    [[nodiscard]] bool intersects(const MeshCoordinateRange& range) const;
    /// Returns all coordinates, row by row.
    [[nodiscard]] std::vector<MeshCoordinate> coords() const;
    friend auto operator<=>(const MeshCoordinateRange&, const MeshCoordinateRange&) = default;

    class Iterator {
    public:
        using iterator_category = std::forward_iterator_tag;
        using value_type = MeshCoordinate;
        using difference_type = std::ptrdiff_t;
        using pointer = const MeshCoordinate*;
        using reference = const MeshCoordinate&;

        Iterator(const MeshCoordinateRange& range, std::size_t index);
        Iterator& operator++();
        const MeshCoordinate& operator*() const { return current_; }
        bool operator==(const Iterator& other) const { return index_ == other.index_; }

    private:
        const MeshCoordinateRange* range_;
        std::size_t index_;
        MeshCoordinate current_;
    };
    [[nodiscard]] Iterator begin() const { return {*this, 0}; }
    [[nodiscard]] Iterator end() const;

private:
    [[nodiscard]] MeshCoordinate at(std::size_t index) const;

    MeshCoordinate start_;
    MeshCoordinate end_;
};

std::ostream& operator<<(std::ostream& stream, const MeshShape& shape);
std::ostream& operator<<(std::ostream& stream, const MeshCoordinate& coordinate);
std::ostream& operator<<(std::ostream& stream, const MeshCoordinateRange& range);

}  // namespace tt::tt_metal::distributed

template <>
struct std::hash<tt::tt_metal::distributed::MeshCoordinate> {
    std::size_t operator()(
        const tt::tt_metal::distributed::MeshCoordinate& coordinate) const noexcept {
        std::size_t sum = 0;
        for (const std::uint32_t value : coordinate.coords()) {
            sum = sum * 257 + value;
        }
        return sum;
    }
};
template <>
struct std::hash<tt::tt_metal::distributed::MeshCoordinateRange> {
    std::size_t operator()(
        const tt::tt_metal::distributed::MeshCoordinateRange& range) const noexcept {
        const std::hash<tt::tt_metal::distributed::MeshCoordinate> of_coordinate;
        return of_coordinate(range.start_coord()) * 65599 + of_coordinate(range.end_coord());
    }
};

// Formatters with the text of the stream operators.
template <>
struct fmt::formatter<tt::tt_metal::distributed::MeshShape> : fmt::ostream_formatter {};
template <>
struct fmt::formatter<tt::tt_metal::distributed::MeshCoordinate> : fmt::ostream_formatter {};
template <>
struct fmt::formatter<tt::tt_metal::distributed::MeshCoordinateRange> : fmt::ostream_formatter {};
