// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/reference_chain.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "emu/tile/format/integer.hpp"
#include "runtime/config/load.hpp"
#include "runtime/pipeline/operand_values.hpp"
#include "runtime/pipeline/step_tolerance.hpp"
#include "tessera/errors.hpp"

namespace tessera::pipeline {
namespace {

using HostTensors = std::map<std::string, std::shared_ptr<const ops::OperandValues>, std::less<>>;

/// Moves packed valid rows back to their places, with zeros between them.
HostTensor unpack_rows(HostTensor tensor, std::span<const std::uint32_t> counts) {
    const std::size_t whole = num_elements(tensor.shape) * element_bytes(tensor.format);
    if (tensor.bytes.size() == whole || counts.empty()) {
        return tensor;
    }
    std::vector<std::byte> bytes(whole);
    const std::size_t matrix = whole / counts.size();
    const std::size_t row = matrix / tensor.shape.at(1);
    std::size_t from = 0;
    for (std::size_t index = 0; index < counts.size(); ++index) {
        std::memcpy(bytes.data() + index * matrix, tensor.bytes.data() + from, counts[index] * row);
        from += counts[index] * row;
    }
    tensor.bytes = std::move(bytes);
    return tensor;
}

/// References of all steps. Holds the tensors that steps make; draws input tensors at each use,
/// because weights are the largest tensors and most are read once.
class Chain {
public:
    Chain(const PipelineSpec& pipeline, const TensorValues& values, std::uint32_t devices)
        : pipeline_(pipeline), values_(values), made_(devices) {}

    void add(const PipelineStep& step) {
        for (const auto& group : step.groups) {
            StepValues operands = operands_of(step, group);
            std::vector<std::vector<HostTensor>> outputs(group.size());
            tbb::parallel_for(std::size_t{0}, group.size(), [&](std::size_t position) {
                // Devices of a group in parallel; steps in order, since each reads what the
                // previous ones made.
                outputs[position] = reference_of(step, operands, position);
            });
            keep(step, operands, std::move(outputs));
        }
    }
    [[nodiscard]] StepValues operands_of(const PipelineStep& step,
                                         std::span<const std::uint32_t> group) const {
        StepValues operands{.devices = group, .inputs = {}, .outputs = {}};
        for (const std::string& name : step.inputs) {
            auto& operand = operands.inputs.emplace_back();
            for (std::size_t i = 0; i < group.size() && !name.empty(); ++i) {
                operand.push_back(on(group[i], name));
            }
        }
        return operands;
    }

private:
    [[nodiscard]] std::shared_ptr<const ops::OperandValues> on(std::uint32_t device,
                                                               const std::string& name) const {
        const auto made = made_[device].find(name);
        if (made != made_[device].end()) {
            return made->second;
        }
        return std::make_shared<HostValues>(values_.on(*find_tensor(pipeline_, name), device));
    }
    void keep(const PipelineStep& step, StepValues& operands,
              std::vector<std::vector<HostTensor>> outputs) {
        operands.outputs.resize(step.outputs.size());
        for (std::size_t position = 0; position < operands.devices.size(); ++position) {
            // Counts of an output's rows may be an output after it.
            for (std::size_t i = 0; i < step.outputs.size(); ++i) {
                operands.outputs[i].push_back(std::make_shared<HostValues>(outputs[position][i]));
            }
            for (std::size_t i = 0; i < step.outputs.size(); ++i) {
                const auto counts = counts_of(step, operands, step.op->spec.outputs[i], position);
                auto values = std::make_shared<HostValues>(
                    unpack_rows(std::move(outputs[position][i]), counts));
                operands.outputs[i].back() = values;
                // A step that writes a tensor again replaces its values for the steps after it.
                made_[operands.devices[position]].insert_or_assign(step.outputs[i].name,
                                                                   std::move(values));
            }
        }
    }

    const PipelineSpec& pipeline_;
    const TensorValues& values_;
    std::vector<HostTensors> made_;  ///< by device
};

bool reads_any(const PipelineStep& step, const std::set<std::string>& tensors) {
    return std::ranges::any_of(step.inputs,
                               [&](const std::string& name) { return tensors.contains(name); });
}

/// Returns why the chain ends at a step; empty if it continues. `made` are the tensors of the steps
/// before, `rounded` those with numbers that the devices round.
std::string end_of_chain(const PipelineSpec& pipeline, const PipelineStep& step,
                         const std::set<std::string>& made, const std::set<std::string>& rounded) {
    if (step.op->reference == nullptr) {
        return "has no reference";
    }
    if (step.op->valid != nullptr) {
        return "leaves rows open, which only the device states";
    }
    const bool is_last = &step == &pipeline.steps.back();
    for (std::size_t i = 0; i < step.outputs.size(); ++i) {
        const std::string& name = step.outputs[i].name;
        if (find_tensor(pipeline, name) != nullptr || made.contains(name)) {
            return fmt::format("changes a part of {}", name);
        }
        // Copies may be of rounded numbers, but the last step would be compared bit by bit.
        const bool is_bitwise =
            is_last ? is_exact(step, i) : tile::is_integer_format(step.output_plans[i].spec.format);
        if (is_bitwise && reads_any(step, rounded)) {
            return fmt::format("makes {} of rounded numbers, bit by bit", name);
        }
    }
    return "";
}

}  // namespace

void require_chain(const PipelineSpec& pipeline) {
    std::set<std::string> made;
    std::set<std::string> rounded;
    for (const PipelineStep& step : pipeline.steps) {
        const std::string reason = end_of_chain(pipeline, step, made, rounded);
        require(reason.empty(),
                "verify.level is final_only, but step {} {}; allowed for this run: every_step or "
                "off",
                step.name, reason);
        for (std::size_t i = 0; i < step.outputs.size(); ++i) {
            made.insert(step.outputs[i].name);
            if (!is_exact(step, i) || reads_any(step, rounded)) {
                rounded.insert(step.outputs[i].name);
            }
        }
    }
}

report::StepCheck check_final(const PipelineStep& last, std::span<const StepValues> groups,
                              const config::LoadedRun& loaded, const TensorValues& values,
                              const VerifySpec& verify) {
    Chain chain(loaded.pipeline, values, loaded.run.mesh.shape.num_devices());
    for (const PipelineStep& step : loaded.pipeline.steps) {
        if (&step != &last) {
            chain.add(step);
        }
    }
    // The last step is compared like any other step, with the chain's values as its inputs.
    std::vector<StepValues> from_chain;
    for (const StepValues& group : groups) {
        from_chain.push_back(chain.operands_of(last, group.devices));
        from_chain.back().outputs = group.outputs;
    }
    return check_step(last, from_chain, [&](std::size_t output) {
        return tolerance_of_chain(loaded.pipeline.steps, last, output, verify);
    });
}

}  // namespace tessera::pipeline
