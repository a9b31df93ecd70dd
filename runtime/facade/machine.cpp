// SPDX-License-Identifier: Apache-2.0
#include "tessera/machine.hpp"

#include "emu/timing/run.hpp"
#include "runtime/facade/device_model.hpp"
#include "runtime/facade/machine_model.hpp"
#include "runtime/session/emulated_session.hpp"
#include "tessera/errors.hpp"
#include "tessera/session.hpp"

namespace tessera {
namespace {

// The limit of mesh.shape in run files.
constexpr std::uint32_t kMaxDevices = 256;

void require_possible(const MeshShape& shape, Topology topology) {
    for (const std::uint32_t extent : {shape.rows, shape.columns}) {
        require(extent >= 1 && extent <= kMaxDevices,
                "Machine: a mesh of {} × {} devices, allowed: 1 to {} rows and columns", shape.rows,
                shape.columns, kMaxDevices);
    }
    require(topology != Topology::Ring || shape.rows == 1 || shape.columns == 1,
            "Machine: a ring of {} × {} devices, allowed: one row or one column", shape.rows,
            shape.columns);
}

}  // namespace

Machine::Machine(const std::string& device, const MachineOptions& options) {
    require_possible(options.shape, options.topology);
    config::LoadedArch loaded = load_device(find_device_model("Machine:", device), options.sets);
    MeshSpec mesh{options.shape, options.topology, loaded.arch.name};
    model_ = std::make_shared<const MachineModel>(MachineModel{std::move(loaded), mesh});
}

const ArchSpec& Machine::arch() const noexcept {
    return model_->device.arch;
}

const MeshSpec& Machine::mesh() const noexcept {
    return model_->mesh;
}

const TimingBounds& Machine::timing() const noexcept {
    return model_->device.timing;
}

RunTimeline replay(const Trace& trace, const Machine& machine) {
    return timing::replay_run(trace, {machine.arch(), machine.timing().expected, machine.mesh()});
}

std::unique_ptr<Session> open_session(const Machine& machine, const SessionOptions& options) {
    return std::make_unique<EmulatedSession>(machine.mesh(), machine.arch(), options);
}

}  // namespace tessera
