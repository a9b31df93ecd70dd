// SPDX-License-Identifier: Apache-2.0
// Source files of a program's kernels: where they are found, and how --kernel replaces them.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ops/op.hpp"
#include "runtime/steps/pipeline_spec.hpp"
#include "tessera/program.hpp"

namespace tessera::pipeline {

/// Resolves the kernels' paths: kernels of an op outside the source tree are in the op's folder,
/// kernels of a run file are relative to its folder. Kernels in a hidden folder become text, so that
/// they keep the name that the run file states.
void find_kernels(Program& program, const ops::Op& op, const PipelineSpec& pipeline);

/// Replacements of kernel sources: {"ops/moe_bmm/kernels/reader.cpp", "mine.cpp"}.
using KernelFiles = std::vector<std::pair<std::string, std::string>>;

/// Replaces those kernels of a program that `files` names.
void replace_kernels(Program& program, const KernelFiles& files);

/// Checks that each replaced kernel is one of `known`.
/// Errors   UsageError for an unknown kernel, with the nearest known one.
void require_known(const KernelFiles& files, std::span<const std::string> known);

}  // namespace tessera::pipeline
