// SPDX-License-Identifier: Apache-2.0
// Ops outside the source tree: a folder with the structure of a shipped op, compiled at first use.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "ops/op.hpp"

namespace tessera::pipeline {

/// Checks that an op may have the name. Messages begin with `subject`.
/// Errors   UsageError.
void require_op_name(const std::string& subject, const std::string& name);

/// Loads the op in `folder`: `my_op/my_op.hpp` declares `tessera::ops::my_op::op()`. All
/// `my_op/*.cpp` are compiled into one shared object. It is kept in the cache of compiled kernels
/// under a hash of its sources, headers and compiler. Sources may include "ops/my_op/my_op.hpp", as
/// those of shipped ops do; kernels "ops/my_op/kernels/x.cpp" are searched in the folder.
///
/// The object stays loaded until the process ends, because closures and texts of the op refer to
/// it.
/// Errors   UsageError with the folder and what is missing, or the compiler's first errors.
[[nodiscard]] std::shared_ptr<const ops::Op> load_own_op(const std::filesystem::path& folder);

}  // namespace tessera::pipeline
