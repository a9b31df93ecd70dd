// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/given_routing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "emu/base/tensor_file/safetensors_writer.hpp"
#include "runtime/model/routing_text.hpp"
#include "tessera/errors.hpp"

namespace tessera::cli {
namespace {

/// Returns the layer's index in the trace: its number if the trace has all layers of the model,
/// else its index among those with experts.
std::uint32_t layer_in(const model::RoutingTrace& trace, const model::ReadModel& read,
                       std::uint32_t layer) {
    const auto& layers = read.model.moe_layers;
    const auto place =
        static_cast<std::uint32_t>(std::ranges::find(layers, layer) - layers.begin());
    const std::uint32_t at = trace.layers == 1                   ? 0
                             : trace.layers == read.model.layers ? layer
                                                                 : place;
    require(at < trace.layers, "{}: has {} layers; layer {} of {} needs {} of them", trace.name,
            trace.layers, layer, read.name, at + 1);
    return at;
}

}  // namespace

GivenRouting read_given_routing(const std::string& word, const model::ReadModel& read,
                                const model::LayerDemand& demand) {
    GivenRouting given{.trace = model::routing_called(
                           word, {demand.tokens, read.model.experts, read.model.top_k})};
    const model::RoutingTrace& trace = given.trace;
    require(trace.top_k == read.model.top_k,
            "{}: has {} choices a token; allowed: {}, the top-k "
            "of {}",
            trace.name, trace.top_k, read.model.top_k, read.name);
    require(trace.tokens >= demand.tokens,
            "{}: has {} tokens; allowed: at least {}, or --tokens {}", trace.name, trace.tokens,
            demand.tokens, trace.tokens);
    require_ids(trace, read.model.experts);
    given.layer = layer_in(trace, read, layer_of(read, demand));
    return given;
}

void write_ids(const GivenRouting& given, const std::filesystem::path& path,
               const model::LayerDemand& demand) {
    const std::uint32_t devices = demand.devices();
    const std::uint32_t rows = (demand.tokens + devices - 1) / devices * devices;
    HostTensor ids = make_host_tensor({rows, given.trace.top_k}, DataFormat::Int32);
    const auto out = ids.as<std::int32_t>();
    std::ranges::fill(out, -1);
    for (std::size_t i = 0; i < std::size_t{demand.tokens} * given.trace.top_k; ++i) {
        out[i] = given.trace.at(static_cast<std::uint32_t>(i / given.trace.top_k), given.layer,
                                static_cast<std::uint32_t>(i % given.trace.top_k));
    }
    write_safetensors(path, {{"given_ids", &ids}});
}

std::string given_text(const GivenRouting& given, const model::ReadModel& read,
                       const model::LayerDemand& demand, const report::TextStyle& style) {
    model::RoutingTrace first = given.trace;
    first.tokens = demand.tokens;
    const auto placement = model::linear_placement(read.model.experts, demand.devices());
    const auto load = routing_load(first, given.layer, placement, demand.devices());
    return fmt::format("Routing {}\n{}\n", given.trace.name, routing_text(load, placement, style));
}

}  // namespace tessera::cli
