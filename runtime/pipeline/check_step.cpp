// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/check_step.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "runtime/pipeline/operand_values.hpp"
#include "tessera/tensor_compare.hpp"

namespace tessera::pipeline {
namespace {

/// An output of a step on one device with its reference, both reduced to what counts.
struct ComparedOutput {
    std::uint32_t device = 0;
    std::string_view name;
    HostTensor test;
    HostTensor reference;
};

/// Consecutive elements of an output that count.
struct ValidRange {
    std::size_t first = 0;  ///< in the whole output
    std::size_t count = 0;
    std::size_t kept_at = 0;  ///< in what was kept of it
};

/// One output of one device, and what of it is compared.
struct OutputRanges {
    ComparedOutput output;
    std::vector<ValidRange> ranges;
};

bool is_exact(const PipelineStep& step) {
    return step.op->spec.tolerance.max_relative_error == 0;
}

std::vector<ValidRange> ranges_of(const Shape& shape, std::span<const std::uint32_t> counts,
                                  bool has_padding) {
    const std::size_t size = num_elements(shape);
    if (!has_padding) {
        return {{0, size, 0}};
    }
    std::vector<ValidRange> ranges;
    const std::size_t per_index = size / counts.size();
    const std::size_t per_row = per_index / shape.at(1);
    std::size_t kept = 0;
    for (std::size_t index = 0; index < counts.size(); ++index) {
        ranges.push_back({index * per_index, counts[index] * per_row, kept});
        kept += ranges.back().count;
    }
    return ranges;
}

// Rows that count are a small part of a tensor that has room for every token: the others need not
// be held until all devices are compared.
void keep_valid(std::span<const ValidRange> ranges, HostTensor& tensor) {
    const std::size_t width = element_bytes(tensor.format);
    const ValidRange& last = ranges.back();
    if (tensor.bytes.size() == (last.kept_at + last.count) * width) {
        return;  // all of it counts, or nothing else was read
    }
    std::vector<std::byte> kept;
    for (const ValidRange& range : ranges) {
        const auto begin = tensor.bytes.begin() + static_cast<std::ptrdiff_t>(range.first * width);
        kept.insert(kept.end(), begin, begin + static_cast<std::ptrdiff_t>(range.count * width));
    }
    tensor.bytes = std::move(kept);
}

HostTensor read_output(const ops::OperandValues& values, const ops::TensorPlan& plan,
                       std::span<const std::uint32_t> counts, bool has_padding) {
    const bool is_partial =
        has_padding && plan.spec.shape.size() == 3 && !is_block_format(plan.spec.format);
    return is_partial ? valid_rows(values, plan.spec.format, counts) : values.all();
}

OutputRanges compared_output(const PipelineStep& step, const StepValues& values,
                             std::size_t position, std::size_t index, HostTensor reference) {
    const ops::Operand& operand = step.op->spec.outputs[index];
    const ops::TensorPlan& plan = step.output_plans[index];
    const bool has_padding = !operand.valid_rows.empty();
    const std::vector<std::uint32_t> counts = counts_of(step, values, operand, position);
    OutputRanges result{{values.devices[position], step.outputs[index].name,
                         read_output(*values.outputs[index][position], plan, counts, has_padding),
                         std::move(reference)},
                        ranges_of(plan.spec.shape, counts, has_padding)};
    keep_valid(result.ranges, result.output.test);
    keep_valid(result.ranges, result.output.reference);
    return result;
}

std::string place_of(const OutputRanges& from, const ValidRange& range, std::size_t index) {
    return fmt::format("{} of device {} at {}", from.output.name, from.output.device,
                       position_in(from.output.test.shape, range.first + index));
}

void compare_bytes(const OutputRanges& output, report::StepCheck& check) {
    const std::size_t width = element_bytes(output.output.test.format);
    for (const ValidRange& range : output.ranges) {
        const std::byte* test = output.output.test.bytes.data() + range.kept_at * width;
        const std::byte* wanted = output.output.reference.bytes.data() + range.kept_at * width;
        check.num_elements += range.count;
        const std::byte* const differs =
            std::mismatch(test, test + range.count * width, wanted).first;
        if (differs != test + range.count * width && check.passed()) {
            check.pcc = 0;
            check.failure =
                place_of(output, range, static_cast<std::size_t>(differs - test) / width) +
                " is not what the reference has";
        }
    }
}

NumberView part_of(const HostTensor& tensor, const ValidRange& range) {
    if (tensor.format == DataFormat::Float16_b) {
        return Bf16Bits{tensor.as<std::uint16_t>().subspan(range.kept_at, range.count)};
    }
    if (tensor.format == DataFormat::Float32) {
        return tensor.as<float>().subspan(range.kept_at, range.count);
    }
    return NumberView(tensor);
}

report::StepCheck compare_numbers(std::span<const OutputRanges> outputs, const VerifySpec& verify) {
    std::vector<ComparedPart> parts;
    std::vector<std::pair<const OutputRanges*, const ValidRange*>> places;
    for (const OutputRanges& output : outputs) {
        for (const ValidRange& range : output.ranges) {
            parts.push_back(
                {part_of(output.output.test, range), part_of(output.output.reference, range)});
            places.emplace_back(&output, &range);
        }
    }
    const CloseTolerance allowed{.pcc_min = verify.min_pcc,
                                 .max_rel_err = verify.max_relative_error};
    const Closeness closeness = compare_close(parts, allowed);
    report::StepCheck check{closeness.num_elements, closeness.pcc, closeness.max_rel_err, ""};
    if (closeness.passes(allowed)) {
        return check;
    }
    if (closeness.is_void()) {
        check.failure = fmt::format("none of the {} values is finite, nothing was compared",
                                    closeness.num_elements);
        return check;
    }
    if (!closeness.first_beyond) {
        check.failure = fmt::format("PCC {:.6f} is below {:.6f}", closeness.pcc, allowed.pcc_min);
        return check;
    }
    const ComparedPair& pair = *closeness.first_beyond;
    const auto& [output, range] = places[pair.part];
    check.failure = fmt::format(
        "largest relative error {:.3g}, allowed {:.3g}; first beyond: {}: {} against {}",
        closeness.max_rel_err, allowed.max_rel_err, place_of(*output, *range, pair.index),
        pair.test, pair.reference);
    return check;
}

/// One device of one group.
struct Place {
    const StepValues* values = nullptr;
    std::size_t position = 0;
};

/// Whether the reference need not be made for this device: it must hold what the first one does.
bool holds_same_as_first(const PipelineStep& step, std::size_t index, std::size_t position) {
    return position > 0 && step.op->spec.outputs[index].replicas == ops::Replicas::Same;
}

bool is_all_replicas(const PipelineStep& step) {
    return std::ranges::all_of(step.op->spec.outputs, [](const ops::Operand& operand) {
        return operand.replicas == ops::Replicas::Same;
    });
}

std::vector<OutputRanges> outputs_on(const PipelineStep& step, const Place& place) {
    std::vector<OutputRanges> outputs;
    if (place.position > 0 && is_all_replicas(step)) {
        return outputs;
    }
    auto references = reference_of(step, *place.values, place.position);
    for (std::size_t i = 0; i < step.outputs.size(); ++i) {
        if (!holds_same_as_first(step, i, place.position)) {
            outputs.push_back(
                compared_output(step, *place.values, place.position, i, std::move(references[i])));
        }
    }
    return outputs;
}

void compare_replicas(const PipelineStep& step, const StepValues& values,
                      report::StepCheck& check) {
    for (std::size_t i = 0; i < step.outputs.size(); ++i) {
        if (step.op->spec.outputs[i].replicas != ops::Replicas::Same) {
            continue;
        }
        const HostTensor first = values.outputs[i][0]->all();
        for (std::size_t p = 1; p < values.devices.size() && check.passed(); ++p) {
            if (values.outputs[i][p]->all().bytes != first.bytes) {
                check.failure = fmt::format("device {} holds other bytes than device {}",
                                            values.devices[p], values.devices[0]);
            }
        }
    }
}

report::StepCheck compare_exactly(std::span<std::vector<OutputRanges>> devices) {
    std::vector<report::StepCheck> checks(devices.size());
    tbb::parallel_for(std::size_t{0}, devices.size(), [&](std::size_t device) {
        for (const OutputRanges& output : devices[device]) {
            compare_bytes(output, checks[device]);
        }
    });
    report::StepCheck sum;
    for (const report::StepCheck& check : checks) {
        sum.num_elements += check.num_elements;
        if (sum.passed() && !check.passed()) {
            sum.pcc = check.pcc;
            sum.failure = check.failure;
        }
    }
    return sum;
}

}  // namespace

std::vector<std::uint32_t> counts_of(const PipelineStep& step, const StepValues& values,
                                     const ops::Operand& operand, std::size_t position) {
    if (operand.valid_rows.empty()) {
        return {};
    }
    const auto read = [&](const auto& operands, const auto& tensors) {
        const auto found = std::ranges::find(operands, operand.valid_rows, &ops::Operand::name);
        const auto index = static_cast<std::size_t>(found - operands.begin());
        std::vector<std::uint32_t> counts;
        if (index < tensors.size()) {
            const HostTensor tensor = tensors[index][position]->all();
            const auto held = tensor.template as<std::uint32_t>();
            counts.assign(held.begin(), held.end());
        }
        return counts;
    };
    auto counts = read(step.op->spec.inputs, values.inputs);
    return counts.empty() ? read(step.op->spec.outputs, values.outputs) : counts;
}

std::vector<HostTensor> reference_of(const PipelineStep& step, const StepValues& values,
                                     std::size_t position) {
    return step.op->reference({.parameters = step.parameters.get(),
                               .position = position,
                               .inputs = values.inputs,
                               .outputs = step.output_plans});
}

report::StepCheck check_step(const PipelineStep& step, std::span<const StepValues> groups,
                             const VerifySpec& verify) {
    std::vector<Place> places;
    for (const StepValues& group : groups) {
        for (std::size_t position = 0; position < group.devices.size(); ++position) {
            places.push_back({&group, position});
        }
    }
    // Devices are independent: what is serial in one of them runs beside the others.
    std::vector<std::vector<OutputRanges>> devices(places.size());
    tbb::parallel_for(std::size_t{0}, places.size(),
                      [&](std::size_t i) { devices[i] = outputs_on(step, places[i]); });
    report::StepCheck check;
    if (is_exact(step)) {
        check = compare_exactly(devices);
    } else {
        std::vector<OutputRanges> all;
        for (auto& outputs : devices) {
            std::ranges::move(outputs, std::back_inserter(all));
        }
        check = compare_numbers(all, verify);
    }
    for (const StepValues& group : groups) {
        compare_replicas(step, group, check);
    }
    return check;
}

}  // namespace tessera::pipeline
