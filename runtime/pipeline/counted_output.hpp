// SPDX-License-Identifier: Apache-2.0
// The elements of a step's output that count, read for a comparison.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/pipeline/check_step.hpp"
#include "runtime/report/run_record.hpp"
#include "tessera/tensor.hpp"

namespace tessera::pipeline {

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
    std::size_t index = 0;  ///< of the output
    report::NanNote nans;
    bool is_exact = false;
};

/// Valid element ranges of each output, as Op::valid states them; empty if the op states none.
using ValidElements = std::vector<std::vector<ops::ElementRange>>;

/// Reads the elements that count of output `index` on the device at `position` of its group, and
/// counts their NaN.
[[nodiscard]] OutputRanges read_ranges(const PipelineStep& step, const StepValues& values,
                                       std::size_t position, std::size_t index,
                                       const ValidElements& valid);

/// Reads the same beside its reference. Codes of fp8 become float32 in both.
[[nodiscard]] OutputRanges compared_output(const PipelineStep& step, const StepValues& values,
                                           std::size_t position, std::size_t index,
                                           HostTensor reference, const ValidElements& valid);

/// Adds up the NaN of each tensor over the devices; tensors without NaN are left out.
[[nodiscard]] std::vector<report::NanNote> nans_in(
    std::span<const std::vector<OutputRanges>> devices);

}  // namespace tessera::pipeline
