// SPDX-License-Identifier: Apache-2.0
// Devices of a launch on which kernels do the same, so that a run without values runs them once.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "runtime/pipeline/placed_tensors.hpp"
#include "runtime/session/emulated_session.hpp"
#include "runtime/steps/pipeline_spec.hpp"

namespace tessera::pipeline {

/// Whether kernels run once for alike devices, or on each.
enum class AlikeDevices : std::uint8_t { RunOnce, RunEach };

/// Tensors of a launch whose bytes may change what kernels do without maths: integers, and tensors
/// that steer (drawn_scores.hpp).
class SteeringBytes {
public:
    /// Precondition   `steering` outlives the object.
    explicit SteeringBytes(std::span<const std::string> steering) : steering_(steering) {}

    /// Notes the operands of a step of the launch.
    void add(const PipelineStep& step, std::span<const PlacedStep> groups);

    /// Returns, for each program, the first one that is alike: an equal program that is alone, and
    /// whose tensors hold equal bytes.
    [[nodiscard]] std::vector<std::size_t> alike(std::span<const DeviceProgram> programs,
                                                 const EmulatedSession& session) const;
    /// Gives each device the bytes that kernels wrote on the device that is alike.
    void copy_results(std::span<const DeviceProgram> programs, std::span<const std::size_t> alike,
                      EmulatedSession& session) const;

private:
    void add(const std::string& name, const DeviceTensor& tensor);
    [[nodiscard]] bool holds_same(std::uint32_t first, std::uint32_t second,
                                  const EmulatedSession& session) const;

    std::span<const std::string> steering_;
    std::map<std::uint32_t, std::vector<DeviceTensor>> tensors_;  ///< by device
    bool are_small_ = true;  ///< all tensors are worth comparing
};

}  // namespace tessera::pipeline
