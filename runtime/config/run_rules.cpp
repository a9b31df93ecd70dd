// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/run_rules.hpp"

#include <fmt/format.h>

#include "emu/base/fields/value.hpp"

namespace tessera::config {

void mesh_has_at_most_256_devices(const RunSpec& run, const ArchSpec&, Judge& judge) {
    judge.require(run.mesh.shape.num_devices() <= kMostDevices, "mesh.shape",
                  fmt::format("{} devices, allowed: {} or fewer", run.mesh.shape.num_devices(),
                              kMostDevices));
}

void ring_is_one_dimensional(const RunSpec& run, const ArchSpec&, Judge& judge) {
    const MeshShape shape = run.mesh.shape;
    // Rings of both axes are a torus.
    const bool is_line = shape.rows == 1 || shape.columns == 1;
    judge.require(run.mesh.topology != Topology::Ring || is_line, "mesh.topology",
                  fmt::format("ring needs one row or one column, but mesh.shape is {}; allowed: "
                              "line or torus",
                              Value<MeshShape>::show(shape)));
}

void validate(const RunSpec& run, const ArchSpec& arch, Judge& judge) {
    mesh_has_at_most_256_devices(run, arch, judge);
    ring_is_one_dimensional(run, arch, judge);
}

}  // namespace tessera::config
