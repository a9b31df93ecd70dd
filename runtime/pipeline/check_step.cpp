// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/check_step.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>

#include "ops/operand_error.hpp"
#include "runtime/pipeline/counted_output.hpp"
#include "runtime/pipeline/operand_values.hpp"
#include "runtime/pipeline/step_tolerance.hpp"
#include "runtime/pipeline/wrong_elements.hpp"
#include "tessera/errors.hpp"
#include "tessera/tensor_compare.hpp"

namespace tessera::pipeline {
namespace {

/// Returns the position of a compared element in its whole output, as a user addresses it.
std::string place_of(const OutputRanges& from, const ValidRange& range, std::size_t index) {
    return fmt::format("{} of device {} at {}", from.output.name, from.output.device,
                       position_in(from.output.test.shape, range.first + index));
}

/// Compares bytes, for ops that only move data and for integers: a moved NaN keeps its bits, and an
/// id that is nearly right is wrong.
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
                " differs from the reference";
        }
    }
}

/// Adds the valid ranges of an output as parts of a comparison. With block formats a part is one
/// row: 16 values of a row share an exponent, so the tolerance depends on neighbours in the row.
void add_parts(const OutputRanges& output, std::size_t row, std::vector<ComparedPart>& parts,
               std::vector<std::pair<const OutputRanges*, ValidRange>>& places) {
    for (const ValidRange& range : output.ranges) {
        for (std::size_t first = 0; first < range.count; first += row) {
            const ValidRange piece{range.first + first, std::min(row, range.count - first),
                                   range.kept_at + first};
            parts.push_back(
                {part_of(output.output.test, piece), part_of(output.output.reference, piece)});
            places.emplace_back(&output, piece);
        }
    }
}

/// Returns a doubt about values that pass: a constant result that is a little too large may be
/// rounded so, or be a product with a wrong number. Only a reference that varies tells the two apart.
std::string doubt_about(const Closeness& closeness, const CloseTolerance& tolerance) {
    // Two roundings to bfloat16. Formats of 8 bits and less round by more than that.
    constexpr double kRoundings = 2.0 / 256;
    constexpr double kNarrowest = 1e30;
    const bool is_wide = tolerance.format.largest > kNarrowest && tolerance.format.block_step == 0;
    if (closeness.varies || !is_wide || std::abs(closeness.scale - 1) <= kRoundings) {
        return "";
    }
    return fmt::format(
        "the reference is constant, and the results are {:.4g} times it; values that vary show "
        "whether that is rounding",
        closeness.scale);
}

/// Compares one output over all devices together. The noise rules are about all errors of a tensor;
/// on the part of one device they would have too few elements.
report::StepCheck compare_numbers(std::span<const OutputRanges> outputs, const TensorSpec& spec,
                                  const CloseTolerance& tolerance) {
    std::vector<ComparedPart> parts;
    std::vector<std::pair<const OutputRanges*, ValidRange>> places;
    for (const OutputRanges& output : outputs) {
        const bool shares_exponents = tolerance.format.block_step > 0;
        add_parts(output,
                  // Longer than any tensor: one part for each range.
                  shares_exponents ? output.output.test.shape.back() : std::size_t{1} << 62U, parts,
                  places);
    }
    const Closeness closeness = compare_close(parts, tolerance);
    report::StepCheck check{closeness.num_elements, closeness.pcc, closeness.max_rel_err,
                            closeness.failure(tolerance)};
    check.doubt = check.passed() ? doubt_about(closeness, tolerance) : "";
    if (!check.passed() && closeness.first_beyond) {
        const ComparedPair& pair = *closeness.first_beyond;
        const auto& [output, range] = places[pair.part];
        check.failure +=
            fmt::format("; first beyond: {}: {} against {}", place_of(*output, range, pair.index),
                        pair.test, pair.reference) +
            wrong_elements(*output, spec, tolerance, closeness.reference_rms);
    }
    return check;
}

/// Adds the comparison of another output to that of its step: the worst figures, and the first
/// failure.
void merge(const report::StepCheck& check, report::StepCheck& sum) {
    sum.num_elements += check.num_elements;
    sum.pcc = check.pcc < sum.pcc || !std::isfinite(sum.pcc) ? check.pcc : sum.pcc;
    sum.max_relative_error = std::max(sum.max_relative_error, check.max_relative_error);
    sum.failure = sum.passed() ? check.failure : sum.failure;
    sum.doubt = sum.doubt.empty() ? check.doubt : sum.doubt;
}

/// One device of one group.
struct Place {
    const StepValues* values = nullptr;
    std::size_t position = 0;
};

std::vector<Place> places_of(std::span<const StepValues> groups) {
    std::vector<Place> places;
    for (const StepValues& group : groups) {
        for (std::size_t position = 0; position < group.devices.size(); ++position) {
            places.push_back({&group, position});
        }
    }
    return places;
}

ops::ReferenceContext reference_context(const PipelineStep& step, const StepValues& values,
                                        std::size_t position) {
    return {.parameters = step.parameters.get(),
            .position = position,
            .inputs = values.inputs,
            .outputs = step.output_plans};
}

/// Returns whether this device must hold the same bytes as the first one, so that its reference
/// need not be computed.
bool must_equal_first(const PipelineStep& step, std::size_t index, std::size_t position) {
    return position > 0 && step.op->spec.outputs[index].replicas == ops::Replicas::Same;
}

bool is_all_replicas(const PipelineStep& step) {
    return std::ranges::all_of(step.op->spec.outputs, [](const ops::Operand& operand) {
        return operand.replicas == ops::Replicas::Same;
    });
}

std::vector<OutputRanges> outputs_on(const PipelineStep& step, const Place& place) {
    std::vector<OutputRanges> outputs;
    // The reference of an all-reduce over D devices costs D inputs, so it is computed once for all
    // devices.
    if (place.position > 0 && is_all_replicas(step)) {
        return outputs;
    }
    auto references = reference_of(step, *place.values, place.position);
    const ValidElements valid = valid_of(step, *place.values, place.position);
    for (std::size_t i = 0; i < step.outputs.size(); ++i) {
        if (!must_equal_first(step, i, place.position)) {
            outputs.push_back(compared_output(step, *place.values, place.position, i,
                                              std::move(references[i]), valid));
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
            return read_ranges(step, values, position, i, {}).output.test.bytes;
        };
        const std::vector<std::byte> first = held(0);
        for (std::size_t p = 1; p < values.devices.size() && check.passed(); ++p) {
            if (held(p) != first) {
                // Bytes and not numbers: replicas are copies, so any difference is a fault.
                check.failure = fmt::format("device {} holds other bytes than device {}",
                                            values.devices[p], values.devices[0]);
            }
        }
    }
}

report::StepCheck compare_exactly(std::span<std::vector<OutputRanges>> devices) {
    // Results are merged in the order of devices. The first difference in the message then does not
    // depend on the number of threads.
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

// Selects the counts of one device from a tensor of counts of all devices. Row i of a square matrix
// (OfColumn) is what device i sends to each device; column j is what device j receives.
std::vector<std::uint32_t> counts_on_device(std::vector<std::uint32_t> counts,
                                            ops::ValidRows rows_are, std::size_t position) {
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
            counts = counts_on_device(std::move(counts), operand.rows_are, position);
        }
        return counts;
    };
    // Counts are an input for most ops; ops that route tokens write them.
    auto counts = read(step.op->spec.inputs, values.inputs);
    return counts.empty() ? read(step.op->spec.outputs, values.outputs) : counts;
}

void check_values(const PipelineStep& step, const ops::ReferenceContext& context) {
    if (!step.op->check_values) {
        return;
    }
    try {
        step.op->check_values(context);
    } catch (const ops::OperandError& error) {
        const auto& operands = step.op->spec.inputs;
        const auto found = std::ranges::find(operands, error.operand(), &ops::Operand::name);
        const auto index = static_cast<std::size_t>(found - operands.begin());
        ensure(index < step.inputs.size(), "{} has no operand {}", step.name, error.operand());
        throw UsageError(fmt::format("{} (step {}); correct the values of tensor {}", error.what(),
                                     step.name, step.inputs[index]));
    } catch (const UsageError& error) {
        throw UsageError(fmt::format("{} (step {})", error.what(), step.name));
    }
}

std::vector<HostTensor> reference_of(const PipelineStep& step, const StepValues& values,
                                     std::size_t position) {
    const ops::ReferenceContext context = reference_context(step, values, position);
    // Values that a step made are checked here, because a reference does not check its inputs: a
    // page or a position outside of a cache ended the process.
    check_values(step, context);
    return step.op->reference(context);
}

std::vector<report::NanNote> nans_of_outputs(const PipelineStep& step,
                                             std::span<const StepValues> groups) {
    const std::vector<Place> places = places_of(groups);
    std::vector<std::vector<OutputRanges>> devices(places.size());
    tbb::parallel_for(std::size_t{0}, places.size(), [&](std::size_t device) {
        const auto& [values, position] = places[device];
        const ValidElements valid = valid_of(step, *values, position);
        for (std::size_t i = 0; i < step.outputs.size(); ++i) {
            devices[device].push_back(read_ranges(step, *values, position, i, valid));
        }
    });
    return nans_in(devices);
}

report::StepCheck check_step(const PipelineStep& step, std::span<const StepValues> groups,
                             const VerifySpec& verify) {
    return check_step(step, groups,
                      [&](std::size_t output) { return tolerance_of(step, output, verify); });
}

report::StepCheck check_step(const PipelineStep& step, std::span<const StepValues> groups,
                             const std::function<CloseTolerance(std::size_t output)>& tolerance) {
    const std::vector<Place> places = places_of(groups);
    // Most references are serial loops; devices are independent and run in parallel.
    std::vector<std::vector<OutputRanges>> devices(places.size());
    tbb::parallel_for(std::size_t{0}, places.size(),
                      [&](std::size_t i) { devices[i] = outputs_on(step, places[i]); });
    report::StepCheck check = compare_exactly(devices);
    check.nans = nans_in(devices);
    // Outputs are compared one by one, since each has its own format and tolerance.
    for (std::size_t i = 0; i < step.outputs.size() && check.passed(); ++i) {
        std::vector<OutputRanges> numbers;
        for (auto& outputs : devices) {
            std::ranges::copy_if(
                std::make_move_iterator(outputs.begin()), std::make_move_iterator(outputs.end()),
                std::back_inserter(numbers),
                [&](const OutputRanges& output) { return output.index == i && !output.is_exact; });
        }
        if (!numbers.empty()) {
            report::StepCheck one =
                compare_numbers(numbers, step.output_plans[i].spec, tolerance(i));
            // Most ops have one output; its name says nothing that the step's name does not.
            if (!one.passed() && step.outputs.size() > 1) {
                one.failure = fmt::format("{}: {}", step.outputs[i].name, one.failure);
            }
            merge(one, check);
        }
    }
    for (const StepValues& group : groups) {
        compare_replicas(step, group, check);
    }
    return check;
}

}  // namespace tessera::pipeline
