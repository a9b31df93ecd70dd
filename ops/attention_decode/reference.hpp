// SPDX-License-Identifier: Apache-2.0
// The plain computation that results of a call are compared with.
#pragma once

#include "ops/op.hpp"

namespace tessera::ops::attention_decode {

[[nodiscard]] std::vector<HostTensor> reference(const ReferenceContext& context);
/// Errors   UsageError where the page table or the positions leave the cache.
void check_values(const OpSpec& spec, const ReferenceContext& context);

}  // namespace tessera::ops::attention_decode
