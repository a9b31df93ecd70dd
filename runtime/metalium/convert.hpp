// SPDX-License-Identifier: Apache-2.0
// Conversions from TT-Metalium's types to Tessera's. The types differ on purpose: if one were an
// alias of the other, unqualified calls of programs would find functions of both namespaces.
#pragma once

#include "tessera/program.hpp"
#include "tt-metalium/circular_buffer_config.hpp"
#include "tt-metalium/host_api.hpp"

namespace tessera::metalium {

namespace tm = tt::tt_metal;

/// Errors   UsageError if a coordinate does not fit in 32 bits.
[[nodiscard]] CoreCoord to_tessera(const tm::CoreCoord& core);
[[nodiscard]] CoreRangeSet to_tessera(const tm::CoreRangeSet& set);
[[nodiscard]] CoreRangeSet to_tessera(const tm::CoreSpecification& cores);
[[nodiscard]] tm::CoreCoord to_metalium(const CoreCoord& core);
[[nodiscard]] tm::CoreRangeSet to_metalium(const CoreRangeSet& set);

/// Errors   UsageError naming the formats that Tessera emulates.
[[nodiscard]] DataFormat to_tessera(tt::DataFormat format);
/// Errors   UsageError if a page size is missing or does not divide the size.
[[nodiscard]] CircularBufferConfig to_tessera(const tm::CircularBufferConfig& config);
/// Errors   UsageError for a kernel of an Ethernet core, or a processor that workers do not have.
[[nodiscard]] KernelConfig to_tessera(const tm::KernelConfig& config);

}  // namespace tessera::metalium
