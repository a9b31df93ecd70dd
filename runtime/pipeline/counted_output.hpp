// SPDX-License-Identifier: Apache-2.0
// Valid elements of a step's output, read for a comparison.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/pipeline/check_step.hpp"
#include "runtime/report/run_record.hpp"
#include "tessera/number_view.hpp"
#include "tessera/tensor.hpp"

namespace tessera::pipeline {

/// Output of a step on one device and its reference, both reduced to their valid elements.
struct ComparedOutput {
    std::uint32_t device = 0;
    std::string_view name;
    HostTensor test;
    HostTensor reference;
};

/// Consecutive valid elements of an output.
struct ValidRange {
    std::size_t first = 0;  ///< in the whole output
    std::size_t count = 0;
    std::size_t kept_at = 0;  ///< index of the first element in the reduced tensor
};

/// One output of one device, and the ranges that are compared.
struct OutputRanges {
    ComparedOutput output;
    std::vector<ValidRange> ranges;
    std::size_t index = 0;  ///< index of the output
    report::NanNote nans;
    bool is_exact = false;
};

/// Returns a valid range of a reduced tensor as numbers.
[[nodiscard]] NumberView part_of(const HostTensor& tensor, const ValidRange& range);

/// Valid element ranges of each output, as Op::valid states them; empty if the op states none.
using ValidElements = std::vector<std::vector<ops::ElementRange>>;
[[nodiscard]] ValidElements valid_of(const PipelineStep& step, const StepValues& values,
                                     std::size_t position);

/// Reads the valid elements of output `index` on the device at `position` of its group, and counts
/// their NaN.
[[nodiscard]] OutputRanges read_ranges(const PipelineStep& step, const StepValues& values,
                                       std::size_t position, std::size_t index,
                                       const ValidElements& valid);

/// Reads valid elements as read_ranges(), and reduces the reference to the same elements. fp8 codes
/// become float32 in both.
[[nodiscard]] OutputRanges compared_output(const PipelineStep& step, const StepValues& values,
                                           std::size_t position, std::size_t index,
                                           HostTensor reference, const ValidElements& valid);

/// Returns the number of NaN of each tensor over all devices, for tensors that have any.
[[nodiscard]] std::vector<report::NanNote> nans_in(
    std::span<const std::vector<OutputRanges>> devices);

}  // namespace tessera::pipeline
