// SPDX-License-Identifier: Apache-2.0
#include "tessera/machine.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tessera/errors.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera {
namespace {

std::string refusal_of(const std::string& device, const MachineOptions& options = {}) {
    try {
        const Machine machine(device, options);
    } catch (const Error& error) {
        return error.what();
    }
    return "none";
}

TEST(Machine, OfAShippedNameHasTheModelOfItsFile) {
    const Machine machine("wormhole_n150", {.shape = {2, 4}, .topology = Topology::Line});

    EXPECT_EQ(machine.arch().name, "wormhole_n150");
    EXPECT_EQ(machine.arch().workers.compute, (GridSize{8, 8}));
    EXPECT_EQ(machine.mesh().shape, (MeshShape{2, 4}));
    EXPECT_EQ(machine.mesh().topology, Topology::Line);
    EXPECT_EQ(machine.mesh().device, "wormhole_n150");
}

TEST(Machine, MayBeAFileOfTheCallers) {
    const ScratchFolder folder;
    const std::string file = folder.write("mine.yaml", "extends: wormhole_n150\nname: mine\n");

    EXPECT_EQ(Machine(file).arch().name, "mine");
}

TEST(Machine, ReplacesNumbersByTheNamesOfTheCommandLine) {
    const Machine machine("wormhole_n150",
                          {.sets = {"l1.size=1 MiB", "noc.hop=21 cycles", "arch.clock=2 GHz"}});

    EXPECT_EQ(machine.arch().l1.size.value, 1024U * 1024U);
    EXPECT_EQ(machine.timing().expected.noc.hop.value, 21);
    EXPECT_EQ(machine.timing().expected.clock.value, 2e9);
}

TEST(Machine, NamesWhatShipsForANameThatDoesNot) {
    EXPECT_EQ(refusal_of("wormhole"),
              "Machine: wormhole: no such file or shipped device model; nearest: wormhole_n150, "
              "shipped: blackhole_p150, wormhole_n150");
}

TEST(Machine, RefusesAMeshWithoutDevices) {
    EXPECT_EQ(refusal_of("wormhole_n150", {.shape = {0, 4}}),
              "Machine: a mesh of 0 × 4 devices, allowed: 1 to 256 rows and columns");
}

TEST(Machine, RefusesARingOfRowsAndColumns) {
    EXPECT_EQ(refusal_of("wormhole_n150", {.shape = {2, 4}, .topology = Topology::Ring}),
              "Machine: a ring of 2 × 4 devices, allowed: one row or one column");
}

TEST(Machine, RefusesANumberThatItDoesNotHave) {
    EXPECT_NE(refusal_of("wormhole_n150", {.sets = {"noc.hops=1 cycles"}}).find("noc.hop"),
              std::string::npos);
}

}  // namespace
}  // namespace tessera
