// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/placed_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "emu/base/tensor_file/safetensors_writer.hpp"
#include "runtime/config/load.hpp"
#include "runtime/model/link_placement.hpp"
#include "runtime/steps/pipeline_spec.hpp"
#include "tessera/errors.hpp"

namespace tessera::model {
namespace {

const pipeline::PipelineTensor& tensor_called(const pipeline::PipelineSpec& pipeline,
                                              std::span<const std::string_view> names,
                                              const std::string& run) {
    for (const std::string_view name : names) {
        if (const auto* tensor = find_tensor(pipeline, name)) {
            return *tensor;
        }
    }
    throw UsageError(fmt::format("{}: has no tensor {}; allowed: a run with the tensors {}", run,
                                 names.front(), "given_ids or topk_ids, and expert_map"));
}

std::string param_with(const pipeline::PipelineSpec& pipeline, std::uint32_t experts,
                       const std::string& run) {
    for (const char* name : {"experts", "E"}) {
        const auto found = std::ranges::find(pipeline.params, name, &pipeline::PipelineParam::name);
        if (found != pipeline.params.end() &&
            found->value == pipeline::Value{std::int64_t{experts}}) {
            return name;
        }
    }
    throw UsageError(
        fmt::format("{}: no param experts or E is {}, the number of its experts", run, experts));
}

/// Slots of each device.
std::vector<std::uint32_t> room_of(std::uint32_t slots, std::uint32_t devices) {
    std::vector<std::uint32_t> room(devices, 0);
    for (const std::uint32_t device : linear_placement(slots, devices)) {
        ++room[device];
    }
    return room;
}

/// Number of each slot in the order of devices.
std::vector<std::uint32_t> numbers_of(const Placement& placement) {
    std::vector<std::uint32_t> order(placement.size());
    for (std::uint32_t slot = 0; slot < order.size(); ++slot) {
        order[slot] = slot;
    }
    std::ranges::stable_sort(order, {}, [&](std::uint32_t slot) { return placement[slot]; });
    std::vector<std::uint32_t> numbers(placement.size());
    for (std::uint32_t place = 0; place < order.size(); ++place) {
        numbers[order[place]] = place;
    }
    return numbers;
}

/// Returns the first tokens of a layer; additional rows choose nothing.
HostTensor first_ids(const RoutedRun& run, const RoutingTrace& trace, std::uint32_t layer) {
    HostTensor ids = make_host_tensor({run.rows, run.top_k}, DataFormat::Int32);
    const auto out = ids.as<std::int32_t>();
    std::ranges::fill(out, -1);
    for (std::uint32_t token = 0; token < run.tokens; ++token) {
        for (std::uint32_t choice = 0; choice < run.top_k; ++choice) {
            out[std::size_t{token} * run.top_k + choice] = trace.at(token, layer, choice);
        }
    }
    return ids;
}

/// Returns ids as numbers of slots; the copies of an expert process its tokens in turn.
HostTensor renumbered(const HostTensor& ids, const PlacedRun& placed) {
    const std::vector<std::uint32_t> numbers = numbers_of(placed.after);
    std::vector<std::vector<std::uint32_t>> slots(placed.replicas.copies.size());
    for (std::uint32_t slot = 0; slot < placed.replicas.expert.size(); ++slot) {
        slots[placed.replicas.expert[slot]].push_back(numbers[slot]);
    }
    std::vector<std::size_t> taken(slots.size(), 0);
    HostTensor result = ids;
    for (std::int32_t& id : result.as<std::int32_t>()) {
        if (id >= 0) {
            const auto expert = static_cast<std::size_t>(id);
            id = static_cast<std::int32_t>(slots[expert][taken[expert]++ % slots[expert].size()]);
        }
    }
    return result;
}

std::vector<HostTensor> maps_of(const Placement& placement, std::uint32_t devices) {
    std::vector<HostTensor> maps;
    for (std::uint32_t device = 0; device < devices; ++device) {
        HostTensor map =
            make_host_tensor({static_cast<std::uint32_t>(placement.size())}, DataFormat::Int32);
        std::int32_t next = 0;
        for (std::size_t expert = 0; expert < placement.size(); ++expert) {
            map.as<std::int32_t>()[expert] = placement[expert] == device ? next++ : -1;
        }
        maps.push_back(std::move(map));
    }
    return maps;
}

}  // namespace

RoutedRun routed_run(const config::LoadedRun& loaded, const std::string& name) {
    const pipeline::PipelineSpec& pipeline = loaded.pipeline;
    constexpr std::array<std::string_view, 2> kIds{"given_ids", "topk_ids"};
    constexpr std::array<std::string_view, 1> kMap{"expert_map"};
    const pipeline::PipelineTensor& ids = tensor_called(pipeline, kIds, name);
    const std::uint32_t experts = tensor_called(pipeline, kMap, name).spec.shape.front();
    const Shape& shape = ids.spec.shape;
    RoutedRun run{.ids = ids.name,
                  .rows = shape.front(),
                  .top_k = shape.back(),
                  .tokens = shape.front(),
                  .experts = experts,
                  .experts_param = param_with(pipeline, experts, name),
                  .devices = loaded.run.mesh.shape.num_devices()};
    if (pipeline.report.tokens > 0) {
        run.tokens = std::min(run.rows, static_cast<std::uint32_t>(pipeline.report.tokens));
    }
    run.has_maps = std::ranges::find(pipeline.params, "maps", &pipeline::PipelineParam::name) !=
                   pipeline.params.end();
    run.has_model_weights = std::ranges::any_of(pipeline.tensors, [](const auto& tensor) {
        return tensor.origin.kind == pipeline::OriginKind::Checkpoint;
    });
    return run;
}

PlacedRun place_experts(const RoutedRun& run, const RoutingTrace& trace,
                        const PlacementDemand& demand, PlacedBy by) {
    const std::uint32_t redundant = demand.redundant;
    require(trace.top_k == run.top_k && trace.tokens >= run.tokens,
            "{}: has {} tokens with {} choices; allowed: at least {} tokens with {} choices",
            trace.name, trace.tokens, trace.top_k, run.tokens, run.top_k);
    require_ids(trace, run.experts);
    require((run.experts + redundant) % run.devices == 0 || redundant == 0,
            "--redundant {}: {} devices do not share {} experts equally; allowed: {} and every {} "
            "more",
            redundant, run.devices, run.experts + redundant,
            (run.devices - run.experts % run.devices) % run.devices, run.devices);
    require(
        demand.what == PlacedFor::Load || redundant == 0,
        "--redundant {}: copies of an expert take its tokens in turn; allowed with --by links: 0",
        redundant);
    PlacedRun placed{.by = by, .before = linear_placement(run.experts, run.devices)};
    const RoutingLoad load = routing_load(trace, demand.layer, placed.before, run.devices);
    placed.loads.assign(load.experts.begin(), load.experts.end());
    placed.replicas = replicate(placed.loads, redundant);
    placed.after = balanced_placement(slot_loads(placed.loads, placed.replicas),
                                      room_of(run.experts + redundant, run.devices));
    if (demand.what == PlacedFor::Links) {
        const auto loads = loads_of(placed.loads, placed.after, run.devices);
        placed.after = linked_placement(trace, demand.layer, std::move(placed.after), placed.loads,
                                        kLoadForLinks * std::ranges::max(loads));
    }
    placed.ids_before = first_ids(run, trace, demand.layer);
    if (by == PlacedBy::Map) {
        placed.ids_after = placed.ids_before;
        placed.expert_maps = maps_of(placed.after, run.devices);
    } else {
        placed.ids_after = renumbered(placed.ids_before, placed);
    }
    return placed;
}

double max_over_mean_under(const PlacedRun& placed, const RoutingTrace& trace, std::uint32_t layer,
                           std::uint32_t devices) {
    const RoutingLoad load = routing_load(trace, layer, placed.before, devices);
    const std::vector<double> experts(load.experts.begin(), load.experts.end());
    return max_over_mean(loads_of(slot_loads(experts, placed.replicas), placed.after, devices));
}

void write_placement(const PlacedRun& placed, const std::filesystem::path& path) {
    std::map<std::string, const HostTensor*> tensors{{"ids_before", &placed.ids_before},
                                                     {"ids_after", &placed.ids_after}};
    for (std::size_t device = 0; device < placed.expert_maps.size(); ++device) {
        tensors.emplace(fmt::format("r{}.expert_map", device), &placed.expert_maps[device]);
    }
    write_safetensors(path, tensors);
}

std::vector<PathValue> placed_values(const RoutedRun& run, const PlacedRun& placed, Side side,
                                     const std::string& tensors) {
    const bool is_after = side == Side::After;
    const std::string file = nlohmann::json(tensors).dump();
    std::vector<PathValue> values;
    if (run.ids == "given_ids") {
        values.push_back({"params.ids", "given_ids"});
    }
    if (is_after && placed.replicas.expert.size() > run.experts) {
        values.push_back({"params." + run.experts_param,
                          std::to_string(placed.replicas.expert.size()),
                          fmt::format("{} and copies of the busiest", run.experts)});
    }
    values.push_back(
        {fmt::format("tensors.{}.origin", run.ids),
         fmt::format("{{file: {}, tensor: {}}}", file, is_after ? "ids_after" : "ids_before")});
    if (is_after && placed.by == PlacedBy::Map) {
        values.push_back({"tensors.expert_map.origin", fmt::format("{{file: {}}}", file)});
        if (run.has_maps) {
            values.push_back({"params.maps", "1"});
        }
    }
    return values;
}

}  // namespace tessera::model
