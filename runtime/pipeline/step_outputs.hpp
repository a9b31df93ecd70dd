// SPDX-License-Identifier: Apache-2.0
// Writes what steps leave on the devices to the file of a run's outputs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "emu/base/tensor_file/safetensors_writer.hpp"
#include "ops/moe_v2/step.hpp"
#include "tessera/run_spec.hpp"
#include "tessera/session.hpp"

namespace tessera::run {

class StepOutputs {
public:
    /// `file` may be null: then nothing is written. Session and file outlive the object.
    StepOutputs(const RunSpec& run, const Session& session, SafetensorsWriter* file);

    /// Appends those outputs of the step that moe_output_tensors names; `final`, which is the same
    /// on every device, from the first.
    /// Errors   UsageError if the disk refuses.
    void write(const ops::moe_v2::Step& step) const;

private:
    void write(const std::string& name, const ops::moe_v2::DeviceTensors& tensors,
               std::string_view output) const;

    const Session& session_;
    SafetensorsWriter* file_;
    std::vector<std::string> names_;
};

}  // namespace tessera::run
