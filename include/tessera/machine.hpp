// SPDX-License-Identifier: Apache-2.0
// The machine that programs run on and traces are timed on: devices of one model in a mesh, with
// what their acts cost.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tessera/arch_spec.hpp"
#include "tessera/mesh_spec.hpp"
#include "tessera/timeline.hpp"
#include "tessera/timing_spec.hpp"
#include "tessera/trace.hpp"

namespace tessera {

struct MachineModel;  // the library's own

struct MachineOptions {
    MeshShape shape;
    Topology topology = Topology::Torus;
    /// Replaces numbers of the device, as --set of the command line does: "l1.size=1 MiB",
    /// "noc.link_rate=16 B/cycle".
    std::vector<std::string> sets;
};

/// Copies share what they hold; it never changes.
class Machine {
public:
    /// Loads a device model: the name of one that ships ("wormhole_n150"; `tessera list archs`
    /// shows them), or the path of a YAML file.
    /// Errors   UsageError if there is no such file, naming what ships, or the mesh cannot be;
    ///          ConfigError with all violations of the file and of `sets`.
    explicit Machine(const std::string& device, const MachineOptions& options = {});

    [[nodiscard]] const ArchSpec& arch() const noexcept;
    [[nodiscard]] const MeshSpec& mesh() const noexcept;
    /// Constants as expected, and at both ends of their ranges.
    [[nodiscard]] const TimingBounds& timing() const noexcept;
    [[nodiscard]] const MachineModel& model() const noexcept { return *model_; }

private:
    std::shared_ptr<const MachineModel> model_;
};

/// Predicts when the kernel threads of a recorded run do what its trace says; no kernel runs, and
/// the machine may be another one than the trace was recorded on. Constants are as expected.
/// Errors   UsageError if the trace's mesh is not the machine's, or the trace asks for a core, a
///          bank or a device that the machine does not have.
[[nodiscard]] RunTimeline replay(const Trace& trace, const Machine& machine);

}  // namespace tessera
