// SPDX-License-Identifier: Apache-2.0
// Infers a program from kernels and tensors: circular buffers, arguments, cores and outputs, by the
// names and calls in the kernels' texts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/steps/kernel_text.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/processor.hpp"
#include "tessera/tensor.hpp"

namespace tessera::pipeline {

/// A kernel whose program is inferred.
struct KernelFile {
    std::string path;
    std::string name;  ///< reader, writer or compute: its name in options
    Processor processor = Processor::Riscv0;
    Defines defines;
    KernelText text = {};
    bool is_added = false;  ///< a stand-in that Tessera adds
};

/// A tensor that the kernels read or write.
struct InferredTensor {
    std::string name;
    TensorSpec spec;
    std::string origin;  ///< as in a run file; empty for an output
    std::string reason;  ///< source of shape and format
    bool is_in_l1 = false;
};

/// Values that options give in place of inferred ones.
struct KernelOverrides {
    /// Values by {kernel, index or variable}.
    std::map<std::pair<std::string, std::string>, std::string> args;
    std::map<std::pair<std::string, std::string>, std::string> compile_args;
    /// Keys of a circular buffer (pages, format, page_size) by its index.
    std::map<std::uint32_t, std::map<std::string, std::string>> buffers;
    std::vector<InferredTensor> outputs;
    std::optional<GridSize> grid;
    std::string units;  ///< that are split over the cores; empty: inferred
};

/// An argument and its value, an expression of run files.
struct InferredArgument {
    KernelArgument argument;
    std::string value;
    std::string reason;
};

struct InferredKernel {
    KernelFile file;
    std::vector<InferredArgument> arguments;
    std::vector<std::string> compile_args;  ///< values in order, with accessor(x)
    bool has_group_counts = false;  ///< a compile-time argument differs between the core groups
};

struct InferredBuffer {
    std::uint32_t index = 0;
    std::string format;
    std::string pages;
    std::string page_size;  ///< empty: a tile
    std::string reason;
};

/// A program with all that was inferred, and why.
struct InferredProgram {
    std::vector<InferredTensor> inputs;
    std::vector<InferredTensor> outputs;
    std::vector<InferredKernel> kernels;
    std::vector<InferredBuffer> buffers;
    std::vector<std::string> semaphores;
    GridSize grid{1, 1};
    std::string units;  ///< empty: no split
    std::string cores_reason;
    std::vector<std::string> mistakes;  ///< that the user has to clear up, one a line
};

/// A kernel that feeds or drains the buffers of the given ones.
struct StandIn {
    std::string name;  ///< reader or writer
    std::string text;
};

/// Returns the kernels that `files` need and do not contain: a reader for buffers that a kernel
/// awaits and none fills, a writer for buffers that a kernel fills and none awaits. They move pages
/// in order.
[[nodiscard]] std::vector<StandIn> stand_ins(const std::vector<KernelFile>& files,
                                             const KernelOverrides& overrides);

/// Infers a program. `whole` is the grid of the device.
[[nodiscard]] InferredProgram infer_program(std::vector<KernelFile> files,
                                            std::vector<InferredTensor> inputs,
                                            const KernelOverrides& overrides, GridSize whole);

}  // namespace tessera::pipeline
