// SPDX-License-Identifier: Apache-2.0
// Runs the program of one row on an emulated mesh, and replays the recorded trace. The mesh records
// the actions of kernels without their maths and bulk copies.
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
    /// Creates a mesh of one device.
    explicit Bench(const Model& model);
    Bench(const Model& model, const MeshSpec& mesh);

    [[nodiscard]] const Model& model() const noexcept { return model_; }
    [[nodiscard]] const ArchSpec& arch() const noexcept { return model_.arch; }
    [[nodiscard]] EmulatedSession& session() noexcept { return session_; }

    /// Launches a program on device 0 and replays it.
    /// Errors   those of Session::launch and timing::replay.
    [[nodiscard]] Replays run(Program program);
    /// Launches one program per device of the mesh at the same time.
    [[nodiscard]] Replays run(std::span<const DeviceProgram> programs);

    /// Returns the cycles from one program to the next when equal programs follow each other on
    /// device 0. All kernel binaries together have `binary_bytes` bytes.
    [[nodiscard]] Prediction period_cycles(Program program, std::uint32_t binary_bytes);

private:
    const Model& model_;
    MeshSpec mesh_;
    EmulatedSession session_;
};

/// Returns a mesh of one device.
[[nodiscard]] MeshSpec one_device(const ArchSpec& arch);

/// Cycles under one set of constants.
using CyclesOf = std::function<double(const TimingSpec& timing, const UnreplayedCosts& costs)>;

/// Returns cycles that a formula computes in place of a replay, under the stated constants and
/// under each draw of them. One regime determines all of the time.
[[nodiscard]] Prediction drawn_cycles(const Model& model, timing::Regime regime,
                                      const CyclesOf& cycles);

/// Replays one launch under the model's stated constants, and under each draw of them.
[[nodiscard]] Replays replay_all(const Trace& trace, const LaunchTrace& launch, const Model& model,
                                 const MeshSpec& mesh);

}  // namespace tessera::score
