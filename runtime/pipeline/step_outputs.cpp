// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/step_outputs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/pipeline/moe_output_file.hpp"

namespace tessera::run {

StepOutputs::StepOutputs(const RunSpec& run, const Session& session, SafetensorsWriter* file)
    : session_(session), file_(file) {
    for (const TensorDeclaration& tensor : moe_output_tensors(run)) {
        names_.push_back(tensor.name);
    }
}

void StepOutputs::write(const ops::moe_v2::Step& step) const {
    if (file_ == nullptr) {
        return;
    }
    for (const std::string_view output : step.plan->outputs) {
        for (std::size_t device = 0; device < step.devices.size(); ++device) {
            write(fmt::format("d{}.{}", device, output), step.devices[device], output);
        }
        write(std::string(output), step.devices.front(), output);  // "final"
    }
}

void StepOutputs::write(const std::string& name, const ops::moe_v2::DeviceTensors& tensors,
                        std::string_view output) const {
    if (std::ranges::find(names_, name) != names_.end()) {
        file_->append(name, session_.read(tensors.find(output)->second).bytes);
    }
}

}  // namespace tessera::run
