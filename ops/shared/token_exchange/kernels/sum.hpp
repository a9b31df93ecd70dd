// SPDX-License-Identifier: Apache-2.0
// Conventions of the kernels that sum contributions.
#pragma once

#include <cstdint>

#include "args.hpp"

inline constexpr uint32_t kCbContributions =
    tessera::ops::index_of(tessera::ops::token_exchange::SumCb::Contributions);
inline constexpr uint32_t kCbTerms =
    tessera::ops::index_of(tessera::ops::token_exchange::SumCb::Terms);
inline constexpr uint32_t kCbTables =
    tessera::ops::index_of(tessera::ops::token_exchange::SumCb::Tables);
inline constexpr uint32_t kCbSum = tessera::ops::index_of(tessera::ops::token_exchange::SumCb::Sum);
