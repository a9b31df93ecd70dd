// SPDX-License-Identifier: Apache-2.0
// Indices, formats and sizes of the circular buffers of an inferred program.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runtime/steps/inferred_tensors.hpp"

namespace tessera::pipeline {

/// Index of a circular buffer by {number of the kernel, KernelBuffer::index}.
using BufferIndices = std::map<std::pair<std::size_t, std::string>, std::uint32_t>;

/// Returns the value that an option gives to an argument, by its index or its variable.
[[nodiscard]] const std::string* overridden(const KernelOverrides& overrides,
                                            const KernelFile& file, const KernelArgument& argument);

/// Assigns indices. A number in the text stays, and `c_5` of a named argument is 5. Other buffers
/// that data movement fills get 0, 1, … in the order of the text, and compute awaits them in the
/// same order; those that compute fills get 16, 17, …, and its own intermediates 24, 25, ….
[[nodiscard]] BufferIndices buffer_indices(const std::vector<KernelFile>& files,
                                           const KernelOverrides& overrides);

/// Share of each core of the first group, which has the largest ones.
inline constexpr const char* kUnitsPerCore = "units_per_core_group_1";

/// Facts from which the buffers are inferred.
struct BufferContext {
    const InferredProgram& program;
    const std::vector<KernelFile>& files;
    const BufferIndices& indices;
    const std::vector<AddressUse>& addresses;
    const KernelOverrides& overrides;
};
/// Returns the buffers: a format is that of the tensor whose pages pass through, and there are
/// twice as many pages as a kernel reserves or awaits at once.
[[nodiscard]] std::vector<InferredBuffer> infer_buffers(const BufferContext& context);

/// Returns an input or an output by its name; nullptr if there is none.
[[nodiscard]] const InferredTensor* find_tensor(const InferredProgram& program,
                                                const std::string& name);

}  // namespace tessera::pipeline
