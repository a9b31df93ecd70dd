// SPDX-License-Identifier: Apache-2.0
#include "emu/mesh/mesh.hpp"

#include <gtest/gtest.h>

#include "tests/arch_fixture.hpp"

namespace tessera {
namespace {

Mesh make_mesh(std::uint32_t rows, std::uint32_t columns, Topology topology) {
    return {{.shape = {rows, columns}, .topology = topology, .device = "test_arch"},
            testing::make_arch(1, 1)};
}

TEST(Mesh, ALineEndsAtItsLastDevice) {
    const Mesh mesh = make_mesh(1, 4, Topology::Line);

    EXPECT_EQ(mesh.neighbour(1, LinkDirection::East, 1), 2U);
    EXPECT_EQ(mesh.neighbour(0, LinkDirection::East, 3), 3U);
    EXPECT_EQ(mesh.neighbour(3, LinkDirection::East, 1), std::nullopt);
    EXPECT_EQ(mesh.neighbour(0, LinkDirection::West, 1), std::nullopt);
}

// The largest mesh in the documentation: 16384 cores, each with 4 GiB of address space.
TEST(Mesh, HoldsAllCoresOf256Devices) {
    const ArchSpec arch = testing::make_arch(8, 8);

    const Mesh mesh({.shape = {16, 16}, .topology = Topology::Torus, .device = "test_arch"}, arch);

    for (const std::uint32_t device : {0U, 255U}) {
        Core& last = mesh.device(device).core({7, 7});
        *last.l1(static_cast<std::uint32_t>(arch.l1.size.value - 1)) = std::byte{1};
        last.window.open_stack(Processor::Compute);
        last.window.stack_top(Processor::Compute)[-1] = std::byte{1};
        EXPECT_EQ(*last.window.commit_kernel_globals(Processor::Riscv1, 4096), std::byte{0});
    }
}

TEST(Mesh, ARingOfOneRowIsClosed) {
    const Mesh mesh = make_mesh(1, 4, Topology::Ring);

    EXPECT_EQ(mesh.neighbour(3, LinkDirection::East, 1), 0U);
    EXPECT_EQ(mesh.neighbour(0, LinkDirection::West, 1), 3U);
}

TEST(Mesh, ATorusIsClosedBothWays) {
    const Mesh mesh = make_mesh(2, 4, Topology::Torus);

    EXPECT_EQ(mesh.neighbour(7, LinkDirection::East, 1), 4U);
    EXPECT_EQ(mesh.neighbour(1, LinkDirection::North, 1), 5U);
    EXPECT_EQ(mesh.neighbour(5, LinkDirection::South, 1), 1U);
}

TEST(Mesh, ARingOfSeveralRowsIsOpen) {
    const Mesh mesh = make_mesh(2, 4, Topology::Ring);

    EXPECT_EQ(mesh.neighbour(3, LinkDirection::East, 1), std::nullopt);
    EXPECT_EQ(mesh.neighbour(3, LinkDirection::South, 1), 7U);
}

TEST(Device, EveryCoreAndBankAnswersAtItsNocCoordinate) {
    const Device device(testing::make_arch(3, 2), 5);

    EXPECT_EQ(device.node({18 + 2, 18 + 1}).core, &device.core({2, 1}));
    EXPECT_EQ(device.node({5, 3}).kind, NocNodeKind::Dram);
    EXPECT_EQ(device.node({5, 3}).banks, std::vector<std::uint32_t>{7});
    EXPECT_EQ(device.node({30, 30}).kind, NocNodeKind::Nothing);
}

}  // namespace
}  // namespace tessera
