// SPDX-License-Identifier: Apache-2.0
// The machine that runs programs and times traces: a mesh of devices of one model.
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

/// Mesh of a Machine, and changes to its device model.
struct MachineOptions {
    MeshShape shape;
    Topology topology = Topology::Torus;
    /// Changes to numbers of the device model, in the form of the command line's --set:
    /// "l1.size=1 MiB", "noc.link_rate=16 B/cycle".
    std::vector<std::string> sets;
};

/// Devices of one model in a mesh, with their timing constants. Immutable; copies share the data.
class Machine {
public:
    /// Loads a device model: the name of one that ships ("wormhole_n150"; `tessera list archs`
    /// shows them), or the path of a YAML file.
    /// Errors   UsageError if there is no such file (the message lists the models that ship) or the
    ///          mesh is impossible; ConfigError with all violations of the file and of `sets`.
    explicit Machine(const std::string& device, const MachineOptions& options = {});

    /// Returns the device model without its times.
    [[nodiscard]] const ArchSpec& arch() const noexcept;
    /// Returns the mesh of devices.
    [[nodiscard]] const MeshSpec& mesh() const noexcept;
    /// Returns the timing constants: expected values and both ends of their ranges.
    [[nodiscard]] const TimingBounds& timing() const noexcept;
    /// Returns the library's own data; for the library.
    [[nodiscard]] const MachineModel& model() const noexcept { return *model_; }

private:
    std::shared_ptr<const MachineModel> model_;
};

/// Predicts the time of each event of a recorded run, with the expected constants. No kernel runs.
/// The machine may differ from the one that the trace was recorded on, except for the mesh.
/// Errors   UsageError if the trace's mesh is not the machine's, or the trace uses a core, a bank
///          or a device that the machine does not have.
[[nodiscard]] RunTimeline replay(const Trace& trace, const Machine& machine);

}  // namespace tessera
