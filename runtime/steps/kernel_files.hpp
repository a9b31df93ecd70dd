// SPDX-License-Identifier: Apache-2.0
// Which files a program's kernels are compiled from.
#pragma once

#include <span>
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

/// Replaces the kernels of a program that `files` names.
void replace_kernels(Program& program, const KernelFiles& files);

/// Errors   UsageError for a file whose kernel is not among `known`, with the nearest that is.
void require_known(const KernelFiles& files, std::span<const std::string> known);

}  // namespace tessera::pipeline
