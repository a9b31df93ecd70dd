// SPDX-License-Identifier: Apache-2.0
// A run with its experts placed by the load of a trace: ids, maps and the text of its run file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/model/placement.hpp"
#include "runtime/model/routing_trace.hpp"
#include "runtime/model/yaml_text.hpp"
#include "tessera/tensor.hpp"

namespace tessera::config {
struct LoadedRun;
}

namespace tessera::model {

/// Tensors and params of a run file that a placement changes.
struct RoutedRun {
    std::string ids;  ///< tensor of the chosen experts, (rows, top_k) int32
    std::uint32_t rows = 0;
    std::uint32_t top_k = 0;
    std::uint32_t tokens = 0;  ///< rows that are not padding
    std::uint32_t experts = 0;
    std::string experts_param;  ///< the param with their number
    std::uint32_t devices = 0;
    bool has_maps = false;           ///< whether a param `maps` makes every dispatch read the maps
    bool has_model_weights = false;  ///< whether a tensor comes from the files of a model
};

/// Finds them: the tensor given_ids or topk_ids, expert_map, and the param experts or E.
/// Errors   UsageError with the name that is missing and what is allowed.
[[nodiscard]] RoutedRun routed_run(const config::LoadedRun& loaded, const std::string& name);

/// How a placement is passed to the run.
enum class PlacedBy : std::uint8_t {
    Map,      ///< each device's expert_map; experts keep their numbers
    Numbers,  ///< experts get new numbers in the order of devices, copies of an expert numbers too
};

/// Goal of a placement: what it makes as small as it can.
enum class PlacedFor : std::uint8_t {
    Load,   ///< the largest load of a device
    Links,  ///< the devices that tokens reach, with loads up to kLoadForLinks times that of Load
};
inline constexpr double kLoadForLinks = 1.1;

struct PlacedRun {
    PlacedBy by = PlacedBy::Map;
    std::vector<double> loads;  ///< loads of experts in the whole trace
    Replicas replicas;
    Placement before;  ///< placement of experts
    Placement after;   ///< placement of slots
    HostTensor ids_before;
    HostTensor ids_after;
    std::vector<HostTensor> expert_maps;  ///< one per device; empty if by numbers
};

/// How experts are to be placed.
struct PlacementDemand {
    std::uint32_t layer = 0;      ///< of the trace
    std::uint32_t redundant = 0;  ///< further copies of the busiest experts
    PlacedFor what = PlacedFor::Load;
};

/// Places the experts of a layer of the trace, and copies of the busiest.
/// Errors   UsageError if the trace has fewer tokens than the run, if more slots than the run's
///          devices share equally are asked for, or copies of experts placed for links.
[[nodiscard]] PlacedRun place_experts(const RoutedRun& run, const RoutingTrace& trace,
                                      const PlacementDemand& demand, PlacedBy by);

/// Returns the ratio of the largest to the mean load of the placement under a trace. Copies of an
/// expert share its load equally.
[[nodiscard]] double max_over_mean_under(const PlacedRun& placed, const RoutingTrace& trace,
                                         std::uint32_t layer, std::uint32_t devices);

/// Writes ids_before, ids_after and r<device>.expert_map.
void write_placement(const PlacedRun& placed, const std::filesystem::path& path);

/// The placement that a run file has.
enum class Side : std::uint8_t { Before, After };

/// Returns the values of a run file that reads its tensors from `tensors`, a file next to it.
[[nodiscard]] std::vector<PathValue> placed_values(const RoutedRun& run, const PlacedRun& placed,
                                                   Side side, const std::string& tensors);

}  // namespace tessera::model
