// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/check_step.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <numeric>

#include "emu/tile/format/fp8_e4m3.hpp"
#include "emu/tile/format/integer.hpp"
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
    bool is_exact = false;
};

// Ids and indices are right or wrong, whatever tolerance the op's other outputs have.
bool is_exact(const PipelineStep& step, std::size_t output) {
    return step.op->spec.tolerance.max_relative_error == 0 ||
           tile::is_integer_format(step.output_plans[output].spec.format);
}

std::vector<ValidRange> packed(std::span<const ops::ElementRange> elements) {
    std::vector<ValidRange> ranges;
    std::size_t kept = 0;
    for (const ops::ElementRange& range : elements) {
        ranges.push_back({range.first, range.count, kept});
        kept += range.count;
    }
    return ranges;
}

std::vector<ValidRange> ranges_of(const Shape& shape, std::span<const std::uint32_t> counts,
                                  ops::ValidRows rows_are) {
    const std::size_t size = num_elements(shape);
    if (counts.empty()) {
        return {{0, size, 0}};
    }
    if (rows_are != ops::ValidRows::OfEachMatrix) {
        const std::size_t rows = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
        return {{0, rows * (size / shape.at(0)), 0}};
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
    if (ranges.empty()) {
        tensor.bytes.clear();
        return;
    }
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
                       std::span<const std::uint32_t> counts, ops::ValidRows rows_are) {
    const bool is_partial = !counts.empty() && rows_are == ops::ValidRows::OfEachMatrix &&
                            plan.spec.shape.size() == 3 && !is_block_format(plan.spec.format);
    return is_partial ? valid_rows(values, plan.spec.format, counts) : values.all();
}

// The comparison of numbers knows bfloat16 and float32.
void widen_codes(HostTensor& tensor) {
    if (tensor.format != DataFormat::Fp8_e4m3) {
        return;
    }
    HostTensor wide{tensor.shape, DataFormat::Float32,
                    std::vector<std::byte>(tensor.bytes.size() * sizeof(float))};
    std::ranges::transform(tensor.as<std::uint8_t>(), wide.as<float>().begin(),
                           tile::e4m3_to_float);
    tensor = std::move(wide);
}

/// What Op::valid says of a step's outputs; nothing where it says nothing.
using ValidElements = std::vector<std::vector<ops::ElementRange>>;

OutputRanges compared_output(const PipelineStep& step, const StepValues& values,
                             std::size_t position, std::size_t index, HostTensor reference,
                             const ValidElements& valid) {
    const ops::Operand& operand = step.op->spec.outputs[index];
    const ops::TensorPlan& plan = step.output_plans[index];
    const std::vector<std::uint32_t> counts = counts_of(step, values, operand, position);
    OutputRanges result{
        {values.devices[position], step.outputs[index].name,
         read_output(*values.outputs[index][position], plan, counts, operand.rows_are),
         std::move(reference)},
        valid.empty() ? ranges_of(plan.spec.shape, counts, operand.rows_are)
                      : packed(valid.at(index))};
    keep_valid(result.ranges, result.output.test);
    keep_valid(result.ranges, result.output.reference);
    if (!is_exact(step, index)) {
        widen_codes(result.output.test);
        widen_codes(result.output.reference);
    }
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

ops::ReferenceContext reference_context(const PipelineStep& step, const StepValues& values,
                                        std::size_t position) {
    return {.parameters = step.parameters.get(),
            .position = position,
            .inputs = values.inputs,
            .outputs = step.output_plans};
}

/// Whether the reference need not be made for this device: it must hold what the first one does.
bool holds_same_as_first(const PipelineStep& step, std::size_t index, std::size_t position) {
    return position > 0 && step.op->spec.outputs[index].replicas == ops::Replicas::Same;
}

bool is_all_replicas(const PipelineStep& step) {
    return std::ranges::all_of(step.op->spec.outputs, [](const ops::Operand& operand) {
        return operand.replicas == ops::Replicas::Same;
    });
}

ValidElements valid_of(const PipelineStep& step, const StepValues& values, std::size_t position) {
    return step.op->valid ? step.op->valid({.parameters = step.parameters.get(),
                                            .position = position,
                                            .inputs = values.inputs,
                                            .outputs = step.output_plans})
                          : ValidElements{};
}

std::vector<OutputRanges> outputs_on(const PipelineStep& step, const Place& place) {
    std::vector<OutputRanges> outputs;
    if (place.position > 0 && is_all_replicas(step)) {
        return outputs;
    }
    auto references = reference_of(step, *place.values, place.position);
    const ValidElements valid = valid_of(step, *place.values, place.position);
    for (std::size_t i = 0; i < step.outputs.size(); ++i) {
        if (!holds_same_as_first(step, i, place.position)) {
            outputs.push_back(compared_output(step, *place.values, place.position, i,
                                              std::move(references[i]), valid));
            outputs.back().is_exact = is_exact(step, i);
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
        const auto held = [&](std::size_t position) {
            const ops::Operand& operand = step.op->spec.outputs[i];
            const auto counts = counts_of(step, values, operand, position);
            HostTensor tensor = read_output(*values.outputs[i][position], step.output_plans[i],
                                            counts, operand.rows_are);
            keep_valid(ranges_of(step.output_plans[i].spec.shape, counts, operand.rows_are),
                       tensor);
            return std::move(tensor.bytes);
        };
        const std::vector<std::byte> first = held(0);
        for (std::size_t p = 1; p < values.devices.size() && check.passed(); ++p) {
            if (held(p) != first) {
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
            if (output.is_exact) {
                compare_bytes(output, checks[device]);
            }
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

// What of counts over all devices is one device's.
std::vector<std::uint32_t> of_device(std::vector<std::uint32_t> counts, ops::ValidRows rows_are,
                                     std::size_t position) {
    if (rows_are == ops::ValidRows::OfDevice) {
        return {counts.at(position)};
    }
    if (rows_are != ops::ValidRows::OfColumn) {
        return counts;
    }
    const auto devices = static_cast<std::size_t>(std::lround(std::sqrt(counts.size())));
    std::vector<std::uint32_t> column;
    for (std::size_t row = 0; row < devices; ++row) {
        column.push_back(counts.at(row * devices + position));
    }
    return column;
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
            counts = of_device(std::move(counts), operand.rows_are, position);
        }
        return counts;
    };
    auto counts = read(step.op->spec.inputs, values.inputs);
    return counts.empty() ? read(step.op->spec.outputs, values.outputs) : counts;
}

std::vector<HostTensor> reference_of(const PipelineStep& step, const StepValues& values,
                                     std::size_t position) {
    const ops::ReferenceContext context = reference_context(step, values, position);
    // Values that a step has made are judged here first: a reference takes them as they are.
    if (step.op->check_values) {
        step.op->check_values(context);
    }
    return step.op->reference(context);
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
    report::StepCheck check = compare_exactly(devices);
    std::vector<OutputRanges> numbers;
    for (auto& outputs : devices) {
        std::ranges::copy_if(std::make_move_iterator(outputs.begin()),
                             std::make_move_iterator(outputs.end()), std::back_inserter(numbers),
                             [](const OutputRanges& output) { return !output.is_exact; });
    }
    if (!numbers.empty() && check.passed()) {
        const std::uint64_t num_exact = check.num_elements;
        check = compare_numbers(numbers, verify);
        check.num_elements += num_exact;
    }
    for (const StepValues& group : groups) {
        compare_replicas(step, group, check);
    }
    return check;
}

}  // namespace tessera::pipeline
