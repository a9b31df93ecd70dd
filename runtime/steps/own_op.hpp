// SPDX-License-Identifier: Apache-2.0
// Ops from outside of the tree: a folder of the same shape as ours, compiled when first used.
#pragma once

#include <filesystem>
#include <memory>

#include "ops/op.hpp"

namespace tessera::pipeline {

/// Loads the op whose folder is `folder`: `my_op/my_op.hpp` declares
/// `tessera::ops::my_op::op()`, all `my_op/*.cpp` are compiled into one shared object, which is
/// kept in the cache of compiled kernels under a hash of its sources, headers and compiler. Sources
/// may include "ops/my_op/my_op.hpp", as ours do; kernels "ops/my_op/kernels/x.cpp" are looked up
/// in the folder.
///
/// The object stays loaded to the end of the process: its values are anywhere by then.
/// Errors   UsageError with the folder and what is missing, or what the compiler says.
[[nodiscard]] std::shared_ptr<const ops::Op> load_own_op(const std::filesystem::path& folder);

}  // namespace tessera::pipeline
