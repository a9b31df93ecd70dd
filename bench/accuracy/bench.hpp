// SPDX-License-Identifier: Apache-2.0
// Where one row's program runs: an emulated mesh that records what kernels do without their maths
// and bulk copies, and the replays of what it recorded.
#pragma once

#include <functional>
#include <span>

#include "bench/accuracy/model.hpp"
#include "bench/accuracy/replays.hpp"
#include "runtime/session/emulated_session.hpp"
#include "tessera/program.hpp"
#include "tessera/trace.hpp"

namespace tessera::score {

class Bench {
public:
    /// One device.
    explicit Bench(const Model& model);
    Bench(const Model& model, const MeshSpec& mesh);

    [[nodiscard]] const Model& model() const noexcept { return model_; }
    [[nodiscard]] const ArchSpec& arch() const noexcept { return model_.arch; }
    [[nodiscard]] EmulatedSession& session() noexcept { return session_; }

    /// Launches a program on device 0 and replays it.
    /// Errors   those of Session::launch and timing::replay.
    [[nodiscard]] Replays run(Program program);
    /// Launches programs on the mesh together.
    [[nodiscard]] Replays run(std::span<const DeviceProgram> programs);

    /// From one program to the next when equal ones follow on one another on device 0, in cycles.
    /// Binaries of kernels have `binary_bytes` bytes in all.
    [[nodiscard]] Prediction period_cycles(Program program, std::uint32_t binary_bytes);

private:
    const Model& model_;
    MeshSpec mesh_;
    EmulatedSession session_;
};

/// A mesh of one device.
[[nodiscard]] MeshSpec one_device(const ArchSpec& arch);

/// Cycles under one set of constants.
using CyclesOf = std::function<double(const TimingSpec& timing, const UnreplayedCosts& costs)>;

/// Returns cycles that no replay gives, computed under stated constants and under each draw of
/// them. One regime determines all.
[[nodiscard]] Prediction drawn_cycles(const Model& model, timing::Regime regime,
                                      const CyclesOf& cycles);

/// One launch replayed under the model's stated constants, and under each draw of them.
[[nodiscard]] Replays replay_all(const Trace& trace, const LaunchTrace& launch, const Model& model,
                                 const MeshSpec& mesh);

}  // namespace tessera::score
