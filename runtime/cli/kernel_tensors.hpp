// SPDX-License-Identifier: Apache-2.0
// Tensors that the options of tessera kernel run give.
#pragma once

#include <string>
#include <vector>

#include "runtime/steps/inferred_program.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): a name of CLI11
class App;
}  // namespace CLI

namespace tessera::cli {

/// Returns the parts between separators, empty ones too: "64x" has two.
[[nodiscard]] std::vector<std::string> parts_of(const std::string& text, char separator);

struct KernelTensorOptions {
    std::vector<std::string> inputs;   ///< FILE, FILE:TENSOR or NAME=SHAPE[:dtype]
    std::vector<std::string> outputs;  ///< NAME=SHAPE[:dtype]
    std::vector<std::string> layouts;  ///< NAME=LAYOUT
};
/// Adds --in, --out and --layout.
void add_tensor_options(CLI::App& command, KernelTensorOptions& options);

struct KernelTensors {
    std::vector<pipeline::InferredTensor> inputs;
    std::vector<pipeline::InferredTensor> outputs;
};
/// Reads the options. Tensors have tiles if a kernel names any, and rows otherwise.
/// Errors   UsageError for a missing file or tensor, an unknown dtype, or a shape that is none.
[[nodiscard]] KernelTensors kernel_tensors(const KernelTensorOptions& options,
                                           const std::vector<pipeline::KernelFile>& files);

}  // namespace tessera::cli
