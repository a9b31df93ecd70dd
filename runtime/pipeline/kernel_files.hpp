// SPDX-License-Identifier: Apache-2.0
// Which files a program's kernels are compiled from.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ops/op.hpp"
#include "tessera/program.hpp"

namespace tessera::pipeline {

/// Kernels of an op from outside of the tree are in its folder; those of a run file beside it.
void find_kernels(Program& program, const ops::Op& op, const std::string& run_folder);

/// Kernel sources in place of others: "ops/moe_bmm/kernels/reader.cpp" ▸ "mine.cpp".
using KernelFiles = std::vector<std::pair<std::string, std::string>>;

/// Replaces kernels of a run's programs, and knows which of its files were of no use.
class KernelReplacement {
public:
    explicit KernelReplacement(const KernelFiles& files) : files_(files), is_used_(files.size()) {}

    void replace(Program& program);
    /// Errors   UsageError for a file whose kernel no program had, with the nearest that one had.
    void refuse_unused() const;

private:
    const KernelFiles& files_;
    std::vector<bool> is_used_;      ///< by place in files_
    std::set<std::string> sources_;  ///< of all programs
};

}  // namespace tessera::pipeline
