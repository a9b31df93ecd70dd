// SPDX-License-Identifier: Apache-2.0
#include "runtime/steps/kernel_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <variant>

#include "emu/base/fields/nearest.hpp"
#include "runtime/kernels/content_hash.hpp"
#include "runtime/kernels/jit.hpp"
#include "tessera/errors.hpp"

namespace tessera::pipeline {

void find_kernels(Program& program, const ops::Op& op, const PipelineSpec& pipeline) {
    const std::string own = fmt::format("ops/{}/", op.spec.name);
    for (KernelDescription& kernel : program.kernels) {
        if (!op.folder.empty() && kernel.source.starts_with(own)) {
            kernel.source = op.folder + "/" + kernel.source.substr(own.size());
            continue;
        }
        // A file next to the run file hides a shipped kernel of the same path. A kernel given as
        // text has no file.
        const auto beside = std::filesystem::path(pipeline.folder) / kernel.source;
        if (!kernel.text.empty() || !std::filesystem::is_regular_file(beside)) {
            continue;
        }
        if (pipeline.hides_folder) {
            kernel.text = read_file(beside).value_or("");
        } else {
            kernel.source = beside.lexically_normal().string();
        }
    }
}

void replace_kernels(Program& program, const KernelFiles& files) {
    for (KernelDescription& kernel : program.kernels) {
        const auto file = std::ranges::find(files, kernel.source, &KernelFiles::value_type::first);
        if (file != files.end()) {
            const std::string replaced = std::exchange(kernel.source, file->second);
            // The compiler also searches the folder of the replaced kernel, so a copy of a shipped
            // kernel finds the headers next to the original.
            std::visit([&](auto& config) { config.defines[kReplacedKernel] = replaced; },
                       kernel.config);
        }
    }
}

void require_known(const KernelFiles& files, std::span<const std::string> known) {
    for (const auto& [kernel, file] : files) {
        // A replaced kernel that no step has would have no effect, and the user would measure the
        // old one.
        require(std::ranges::find(known, kernel) != known.end(),
                "--kernel {}: no step has this kernel, {}", kernel,
                config::correction(kernel, known));
        // Checked second: swapped KERNEL and FILE are not a file either.
        require(std::filesystem::is_regular_file(file), "--kernel {}: {} is not a file", kernel,
                file);
    }
}

}  // namespace tessera::pipeline
