// SPDX-License-Identifier: Apache-2.0
// Experts that --routing gives to the tokens of a layer.
#pragma once

#include <filesystem>
#include <string>

#include "runtime/model/layer_run.hpp"
#include "runtime/model/routing_trace.hpp"
#include "runtime/report/text_style.hpp"

namespace tessera::cli {

/// A trace, and the place of the layer in it.
struct GivenRouting {
    model::RoutingTrace trace;
    std::uint32_t layer = 0;
};

/// Reads or draws the choices of a layer's tokens.
/// Errors   UsageError if the file has fewer tokens or layers, another top-k or other experts than
///          the layer.
[[nodiscard]] GivenRouting read_given_routing(const std::string& word, const model::ReadModel& read,
                                              const model::LayerDemand& demand);

/// Writes the choices of the first tokens as the tensor `given_ids`, each device's part padded
/// with -1.
void write_ids(const GivenRouting& given, const std::filesystem::path& path,
               const model::LayerDemand& demand);

/// Returns the loads of the devices, with experts in order, and of the experts.
[[nodiscard]] std::string given_text(const GivenRouting& given, const model::ReadModel& read,
                                     const model::LayerDemand& demand,
                                     const report::TextStyle& style);

}  // namespace tessera::cli
