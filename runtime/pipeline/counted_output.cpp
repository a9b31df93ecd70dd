// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/counted_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "emu/base/nan_count.hpp"
#include "emu/tile/format/fp8_e4m3.hpp"
#include "emu/tile/format/fp8_e5m2.hpp"
#include "runtime/pipeline/operand_values.hpp"
#include "runtime/pipeline/step_tolerance.hpp"

namespace tessera::pipeline {
namespace {

/// Returns the ranges of an op that names its elements itself (Op::valid), with their places after
/// packing.
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
    // Packed rows of all senders or experts: only their sum matters.
    if (rows_are != ops::ValidRows::OfEachMatrix) {
        const std::size_t rows = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
        return {{0, rows * (size / shape.at(0)), 0}};
    }
    std::vector<ValidRange> ranges;
    // Each matrix of a stack has its own count: rows of an expert.
    const std::size_t per_index = size / counts.size();
    const std::size_t per_row = per_index / shape.at(1);
    std::size_t kept = 0;
    for (std::size_t index = 0; index < counts.size(); ++index) {
        ranges.push_back({index * per_index, counts[index] * per_row, kept});
        kept += ranges.back().count;
    }
    return ranges;
}

// Drops invalid rows. A dispatch has room for every token on each device and fills a small part of
// it; all devices are held until all are compared.
void keep_valid(std::span<const ValidRange> ranges, HostTensor& tensor) {
    const std::size_t width = element_bytes(tensor.format);
    if (ranges.empty()) {
        tensor.bytes.clear();
        return;
    }
    const ValidRange& last = ranges.back();
    if (tensor.bytes.size() == (last.kept_at + last.count) * width) {
        return;  // all elements are valid, or only valid ones were read
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
    // Reading a whole stack of experts to keep a few rows would take most of the time of a check.
    // Rows of a block format share exponents within tiles, so those are read whole.
    const bool is_partial = !counts.empty() && rows_are == ops::ValidRows::OfEachMatrix &&
                            plan.spec.shape.size() == 3 && !is_block_format(plan.spec.format);
    return is_partial ? valid_rows(values, plan.spec.format, counts) : values.all();
}

// Converts fp8 codes to float32, exactly: the comparison of numbers supports bfloat16 and float32.
void widen_codes(HostTensor& tensor) {
    const bool is_e4m3 = tensor.format == DataFormat::Fp8_e4m3;
    if (!is_e4m3 && tensor.format != DataFormat::Lf8) {
        return;
    }
    HostTensor wide{tensor.shape, DataFormat::Float32,
                    std::vector<std::byte>(tensor.bytes.size() * sizeof(float))};
    std::ranges::transform(tensor.as<std::uint8_t>(), wide.as<float>().begin(),
                           is_e4m3 ? tile::e4m3_to_float : tile::e5m2_to_float);
    tensor = std::move(wide);
}

void note_nans(const PipelineStep& step, OutputRanges& output) {
    const HostTensor& tensor = output.output.test;
    const std::size_t width = element_bytes(tensor.format);
    output.nans = {.tensor = std::string(output.output.name), .step = step.name};
    for (const ValidRange& range : output.ranges) {
        // Counted in valid elements only: padding may hold NaN with machine.unwritten_memory.
        const NanCount found =
            count_nan(tensor.format,
                      std::span(tensor.bytes).subspan(range.kept_at * width, range.count * width));
        if (found.count != 0 && output.nans.count == 0) {
            output.nans.first =
                fmt::format("{} of device {}", position_in(tensor.shape, range.first + found.first),
                            output.output.device);
        }
        output.nans.count += found.count;
        output.nans.num_elements += range.count;
    }
}

}  // namespace

NumberView part_of(const HostTensor& tensor, const ValidRange& range) {
    if (tensor.format == DataFormat::Float16_b) {
        return Bf16Bits{tensor.as<std::uint16_t>().subspan(range.kept_at, range.count)};
    }
    if (tensor.format == DataFormat::Float32) {
        return tensor.as<float>().subspan(range.kept_at, range.count);
    }
    return NumberView(tensor);
}

// Counts are not enough for ops whose valid rows are not the first ones.
ValidElements valid_of(const PipelineStep& step, const StepValues& values, std::size_t position) {
    return step.op->valid ? step.op->valid({.parameters = step.parameters.get(),
                                            .position = position,
                                            .inputs = values.inputs,
                                            .outputs = step.output_plans})
                          : ValidElements{};
}

OutputRanges read_ranges(const PipelineStep& step, const StepValues& values, std::size_t position,
                         std::size_t index, const ValidElements& valid) {
    const ops::Operand& operand = step.op->spec.outputs[index];
    const ops::TensorPlan& plan = step.output_plans[index];
    const std::vector<std::uint32_t> counts = counts_of(step, values, operand, position);
    OutputRanges result{
        {values.devices[position],
         step.outputs[index].name,
         read_output(*values.outputs[index][position], plan, counts, operand.rows_are),
         {}},
        valid.empty() ? ranges_of(plan.spec.shape, counts, operand.rows_are)
                      : packed(valid.at(index)),
        index,
        {},
        is_exact(step, index)};
    keep_valid(result.ranges, result.output.test);
    note_nans(step, result);
    return result;
}

OutputRanges compared_output(const PipelineStep& step, const StepValues& values,
                             std::size_t position, std::size_t index, HostTensor reference,
                             const ValidElements& valid) {
    OutputRanges result = read_ranges(step, values, position, index, valid);
    result.output.reference = std::move(reference);
    keep_valid(result.ranges, result.output.reference);
    if (!result.is_exact) {
        widen_codes(result.output.test);
        widen_codes(result.output.reference);
    }
    return result;
}

std::vector<report::NanNote> nans_in(std::span<const std::vector<OutputRanges>> devices) {
    std::vector<report::NanNote> notes;
    for (const auto& outputs : devices) {
        for (const OutputRanges& output : outputs) {
            const auto found =
                std::ranges::find(notes, output.nans.tensor, &report::NanNote::tensor);
            // One note for each tensor: 256 devices with the same NaN would fill the report.
            if (found == notes.end()) {
                notes.push_back(output.nans);
                continue;
            }
            found->first = found->count == 0 ? output.nans.first : found->first;
            found->count += output.nans.count;
            found->num_elements += output.nans.num_elements;
        }
    }
    std::erase_if(notes, [](const report::NanNote& note) { return note.count == 0; });
    return notes;
}

}  // namespace tessera::pipeline
