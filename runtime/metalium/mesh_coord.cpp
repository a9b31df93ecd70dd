// SPDX-License-Identifier: Apache-2.0
#include "tt-metalium/mesh_coord.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "tessera/errors.hpp"

namespace tt::tt_metal::distributed {

using tessera::require;

namespace {

// Negative numbers count from the last extent, as in the vendor's class.
std::uint32_t value_at(std::span<const std::uint32_t> values, std::int32_t dim, const char* what) {
    const auto count = static_cast<std::int32_t>(values.size());
    const std::int32_t index = dim < 0 ? dim + count : dim;
    require(index >= 0 && index < count, "{}: extent {} of {}", what, dim, count);
    return values[static_cast<std::size_t>(index)];
}

}  // namespace

std::size_t MeshShape::mesh_size() const {
    return std::accumulate(extents_.begin(), extents_.end(), std::size_t{1}, std::multiplies<>());
}
std::uint32_t MeshShape::operator[](std::int32_t dim) const {
    return value_at(extents_, dim, "MeshShape");
}
std::size_t MeshShape::get_stride(std::size_t dim) const {
    std::size_t stride = 1;
    for (std::size_t i = dim + 1; i < extents_.size(); ++i) {
        stride *= extents_[i];
    }
    return stride;
}
bool MeshShape::is_line_topology() const {
    return std::ranges::count_if(extents_, [](std::uint32_t extent) { return extent > 1; }) <= 1;
}

std::uint32_t MeshCoordinate::operator[](std::int32_t dim) const {
    return value_at(values_, dim, "MeshCoordinate");
}
std::size_t MeshCoordinate::to_linear_index(const MeshShape& shape) const {
    require(shape.dims() == dims(), "coordinate {} in a mesh {}", *this, shape);
    std::size_t index = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
        const std::uint32_t extent = shape[static_cast<std::int32_t>(i)];
        require(values_[i] < extent, "coordinate {} in a mesh {}", *this, shape);
        index = index * extent + values_[i];
    }
    return index;
}

std::optional<MeshCoordinate> MeshCoordinate::get_neighbor(const MeshShape& shape,
                                                           std::int32_t offset, std::int32_t dim,
                                                           BoundaryMode mode) const {
    const std::int64_t extent = shape[dim];
    std::int64_t place = std::int64_t{(*this)[dim]} + offset;
    if (place < 0 || place >= extent) {
        if (mode == BoundaryMode::NONE) {
            return std::nullopt;
        }
        place = mode == BoundaryMode::CLAMP ? std::clamp<std::int64_t>(place, 0, extent - 1)
                                            : (place % extent + extent) % extent;
    }
    MeshCoordinate neighbor = *this;
    const auto index = static_cast<std::size_t>(dim < 0 ? dim + std::int32_t(dims()) : dim);
    neighbor.values_[index] = static_cast<std::uint32_t>(place);
    return neighbor;
}

MeshCoordinateRange::MeshCoordinateRange(const MeshCoordinate& start, const MeshCoordinate& end)
    : start_(start), end_(end) {
    require(start.dims() == end.dims(), "MeshCoordinateRange: {} to {}", start, end);
    for (std::size_t i = 0; i < start.dims(); ++i) {
        require(start.coords()[i] <= end.coords()[i], "MeshCoordinateRange: end {} before start {}",
                end, start);
    }
}

MeshCoordinateRange::MeshCoordinateRange(const MeshShape& shape)
    : start_(MeshCoordinate::zero_coordinate(shape.dims())), end_(start_) {
    std::vector<std::uint32_t> last;
    for (std::size_t i = 0; i < shape.dims(); ++i) {
        last.push_back(shape[static_cast<std::int32_t>(i)] - 1);
    }
    end_ = MeshCoordinate(last);
}

MeshShape MeshCoordinateRange::shape() const {
    std::vector<std::uint32_t> extents;
    for (std::size_t i = 0; i < dims(); ++i) {
        extents.push_back(end_.coords()[i] - start_.coords()[i] + 1);
    }
    return MeshShape(extents);
}

bool MeshCoordinateRange::contains(const MeshCoordinate& coordinate) const {
    if (coordinate.dims() != dims()) {
        return false;
    }
    for (std::size_t i = 0; i < dims(); ++i) {
        const std::uint32_t value = coordinate.coords()[i];
        if (value < start_.coords()[i] || value > end_.coords()[i]) {
            return false;
        }
    }
    return true;
}
bool MeshCoordinateRange::contains(const MeshCoordinateRange& range) const {
    return contains(range.start_) && contains(range.end_);
}
bool MeshCoordinateRange::intersects(const MeshCoordinateRange& range) const {
    for (std::size_t i = 0; i < dims(); ++i) {
        if (start_.coords()[i] > range.end_.coords()[i] ||
            range.start_.coords()[i] > end_.coords()[i]) {
            return false;
        }
    }
    return dims() == range.dims();
}

MeshCoordinate MeshCoordinateRange::at(std::size_t index) const {
    const MeshShape extents = shape();
    std::vector<std::uint32_t> values(dims());
    for (std::size_t i = dims(); i-- > 0;) {
        const std::uint32_t extent = extents[static_cast<std::int32_t>(i)];
        values[i] = start_.coords()[i] + static_cast<std::uint32_t>(index % extent);
        index /= extent;
    }
    return MeshCoordinate(values);
}

std::vector<MeshCoordinate> MeshCoordinateRange::coords() const {
    return {begin(), end()};
}

MeshCoordinateRange::Iterator::Iterator(const MeshCoordinateRange& range, std::size_t index)
    : range_(&range), index_(index), current_(range.at(index)) {
}
MeshCoordinateRange::Iterator& MeshCoordinateRange::Iterator::operator++() {
    current_ = range_->at(++index_);
    return *this;
}
MeshCoordinateRange::Iterator MeshCoordinateRange::end() const {
    return {*this, shape().mesh_size()};
}

std::ostream& operator<<(std::ostream& stream, const MeshShape& shape) {
    std::vector<std::uint32_t> extents;
    for (std::size_t i = 0; i < shape.dims(); ++i) {
        extents.push_back(shape[static_cast<std::int32_t>(i)]);
    }
    return stream << fmt::format("MeshShape([{}])", fmt::join(extents, ", "));
}
std::ostream& operator<<(std::ostream& stream, const MeshCoordinate& coordinate) {
    return stream << fmt::format("MeshCoordinate([{}])", fmt::join(coordinate.coords(), ", "));
}
std::ostream& operator<<(std::ostream& stream, const MeshCoordinateRange& range) {
    return stream << "[" << range.start_coord() << ", " << range.end_coord() << "]";
}

}  // namespace tt::tt_metal::distributed
