// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/exchange/ring.hpp"

#include <numeric>

#include "tessera/errors.hpp"

namespace tessera::ops::exchange {
namespace {

constexpr std::uint32_t kLongestRoute = 32;  // hops in the route of a 1D packet header

// (row, column) pairs of the walk over R rows and C columns; both at least 2.
struct MeshCell {
    std::uint32_t row;
    std::uint32_t column;
};

std::vector<MeshCell> walk(std::uint32_t rows, std::uint32_t columns) {
    std::vector<MeshCell> cells;
    // The first row forward, the rest in serpentines without their first column, and back through
    // that column: every step is between neighbours.
    for (std::uint32_t column = 0; column < columns; ++column) {
        cells.push_back({0, column});
    }
    for (std::uint32_t row = 1; row < rows; ++row) {
        for (std::uint32_t i = 1; i < columns; ++i) {
            cells.push_back({row, row % 2 == 1 ? columns - i : i});
        }
    }
    for (std::uint32_t row = rows - 1; row > 0; --row) {
        cells.push_back({row, 0});
    }
    return cells;
}

}  // namespace

std::vector<std::uint32_t> ring_order(MeshShape shape) {
    std::vector<std::uint32_t> order;
    if (shape.rows == 1 || shape.columns == 1) {
        order.resize(shape.num_devices());
        std::iota(order.begin(), order.end(), 0U);
        return order;
    }
    // The serpentine needs an even number of rows. With odd rows and even columns it runs along
    // columns instead.
    const bool is_turned = shape.rows % 2 == 1 && shape.columns % 2 == 0;
    const auto cells =
        is_turned ? walk(shape.columns, shape.rows) : walk(shape.rows, shape.columns);
    for (const auto& [row, column] : cells) {
        order.push_back(is_turned ? column * shape.columns + row : row * shape.columns + column);
    }
    return order;
}

LinkRoute ring_step(const MeshSpec& mesh, std::uint32_t from, std::uint32_t to) {
    const auto found = straight_route(mesh.shape, mesh.topology, from, to);
    // A ring connects neighbours or runs straight along a torus; any other step is a bug in
    // ring_order().
    ensure(found.has_value(), "all_reduce: no straight route from device {} to device {}", from,
           to);
    require(
        found->hops <= kLongestRoute,
        "make a ring whose step from device {} to device {} of a {}×{} mesh ({}) takes {} hops; at "
        "most {} are possible",
        from, to, mesh.shape.rows, mesh.shape.columns, name_of(mesh.topology), found->hops,
        kLongestRoute);
    return *found;
}

std::vector<RingPlace> make_ring(const MeshSpec& mesh) {
    const std::vector<std::uint32_t> order = ring_order(mesh.shape);
    const std::size_t count = order.size();
    std::vector<RingPlace> ring;
    for (std::size_t i = 0; i < count; ++i) {
        // Both directions are needed: sums travel forward, credits backward.
        ring.push_back({order[i], ring_step(mesh, order[i], order[(i + 1) % count]),
                        ring_step(mesh, order[i], order[(i + count - 1) % count])});
    }
    return ring;
}

}  // namespace tessera::ops::exchange
