// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/kernel_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "emu/base/fields/nearest.hpp"
#include "tessera/errors.hpp"

namespace tessera::pipeline {

void find_kernels(Program& program, const ops::Op& op, const std::string& run_folder) {
    const std::string own = fmt::format("ops/{}/", op.spec.name);
    for (KernelDescription& kernel : program.kernels) {
        if (!op.folder.empty() && kernel.source.starts_with(own)) {
            kernel.source = op.folder + "/" + kernel.source.substr(own.size());
            continue;
        }
        const auto beside = std::filesystem::path(run_folder) / kernel.source;
        if (kernel.text.empty() && std::filesystem::is_regular_file(beside)) {
            kernel.source = beside.lexically_normal().string();
        }
    }
}

void KernelReplacement::replace(Program& program) {
    for (KernelDescription& kernel : program.kernels) {
        sources_.insert(kernel.source);
        const auto file = std::ranges::find(files_, kernel.source, &KernelFiles::value_type::first);
        if (file != files_.end()) {
            kernel.source = file->second;
            is_used_[static_cast<std::size_t>(file - files_.begin())] = true;
        }
    }
}

void KernelReplacement::refuse_unused() const {
    const std::vector<std::string> known(sources_.begin(), sources_.end());
    for (std::size_t i = 0; i < files_.size(); ++i) {
        require(is_used_[i], "--kernel {}: no step has this kernel, did you mean {}?",
                files_[i].first, known.empty() ? "?" : config::nearest(files_[i].first, known));
    }
}

}  // namespace tessera::pipeline
