// SPDX-License-Identifier: Apache-2.0
// Tensors of the addresses that kernels read, and shapes of the outputs.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runtime/steps/inferred_program.hpp"

namespace tessera::pipeline {

/// An argument that is the address of a tensor.
struct AddressUse {
    std::size_t kernel = 0;
    KernelArgument argument;
    bool is_written = false;
    std::string tensor;  ///< empty: not known
};

/// Returns the addresses in the order of kernels and arguments, without tensors. Leaves out
/// those that an option gives.
[[nodiscard]] std::vector<AddressUse> addresses_of(const std::vector<KernelFile>& files,
                                                   const KernelOverrides& overrides);

/// Assigns inputs and outputs to addresses: a tensor to the address of its name (x_addr), others in
/// order. Adds outputs that no option gives, and the mistakes that are left, to `program`.
void assign_tensors(const std::vector<KernelFile>& files, std::vector<AddressUse>& addresses,
                    const KernelOverrides& overrides, InferredProgram& program);

}  // namespace tessera::pipeline
