// SPDX-License-Identifier: Apache-2.0
// Options of tessera kernel run, and the values that they give.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/cli/kernel_tensors.hpp"
#include "runtime/cli/run_options.hpp"
#include "runtime/steps/inferred_program.hpp"

namespace tessera::cli {

struct KernelRunOptions {
    std::vector<std::string> files;
    KernelTensorOptions tensors;
    std::vector<std::string> processors;  ///< FILE=PROCESSOR
    std::vector<std::string> args;        ///< KERNEL.ARGUMENT=VALUE
    std::vector<std::string> compile_args;
    std::vector<std::string> buffers;  ///< INDEX=KEY:VALUE,…
    std::vector<std::string> defines;  ///< [KERNEL.]NAME=VALUE
    std::string grid;
    std::string units;
    std::string fidelity;
    bool fp32_dest_acc = false;
    bool math_approx = false;
    std::string reference;
    std::string device = "wormhole_n150";
    std::optional<std::string> save;
    RunOptions run;
};

void add_kernel_run_options(CLI::App& command, KernelRunOptions& options);

/// Returns the values that replace inferred ones, without those of tensors.
/// Errors   UsageError naming the option, its text and the allowed form.
[[nodiscard]] pipeline::KernelOverrides overrides_of(const KernelRunOptions& options);
/// Returns the words that --define gives to the kernel that runs as reader, writer or compute.
[[nodiscard]] Defines defines_of(const KernelRunOptions& options, const std::string& kernel);
/// Returns the processor of --on for a file, if it is given.
[[nodiscard]] std::optional<Processor> chosen_processor(const KernelRunOptions& options,
                                                        const std::string& path);
/// Returns the processor that is called reader, writer or compute.
[[nodiscard]] std::optional<Processor> processor_named(const std::string& name);

}  // namespace tessera::cli
