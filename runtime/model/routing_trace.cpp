// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/routing_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>
#include <set>
#include <span>

#include "emu/base/counted_random.hpp"
#include "emu/base/tensor_file/safetensors.hpp"
#include "runtime/model/npy_file.hpp"
#include "tessera/errors.hpp"

namespace tessera::model {
namespace {

constexpr std::array<std::string_view, 5> kTensorNames{"topk_ids", "routed_experts", "expert_ids",
                                                       "selected_experts", "expert_routing"};

RoutingTrace trace_of(const std::string& name, const NpyArray& array) {
    const auto& shape = array.shape;
    require(shape.size() == 2 || shape.size() == 3,
            "{}: has {} axes; allowed: (tokens, layers, top_k), or (tokens, top_k)", name,
            shape.size());
    require(std::ranges::all_of(shape, [](std::uint64_t n) { return n >= 1 && n < 1U << 31U; }),
            "{}: has an axis without elements; allowed: (tokens, layers, top_k)", name);
    RoutingTrace trace{.name = name,
                       .tokens = static_cast<std::uint32_t>(shape.front()),
                       .layers = shape.size() == 3 ? static_cast<std::uint32_t>(shape[1]) : 1,
                       .top_k = static_cast<std::uint32_t>(shape.back()),
                       .ids = {}};
    trace.ids.reserve(array.values.size());
    for (const std::int64_t value : array.values) {
        require(value >= -1 && value <= INT32_MAX, "{}: holds the id {}; allowed: -1 to {}", name,
                value, INT32_MAX);
        trace.ids.push_back(static_cast<std::int32_t>(value));
    }
    return trace;
}

bool is_integer(Dtype dtype) {
    switch (dtype) {
        case Dtype::U8:
        case Dtype::I8:
        case Dtype::U16:
        case Dtype::I16:
        case Dtype::U32:
        case Dtype::I32:
        case Dtype::I64:
        case Dtype::U64:
            return true;
        default:
            return false;
    }
}

std::int64_t id_at(const std::string& path, const StoredTensor& tensor, std::size_t i) {
    const std::size_t size = element_bits(tensor.dtype) / 8;
    const bool is_signed = tensor.dtype == Dtype::I8 || tensor.dtype == Dtype::I16 ||
                           tensor.dtype == Dtype::I32 || tensor.dtype == Dtype::I64;
    return integer_at(path, tensor.bytes.subspan(i * size, size), is_signed);
}

NpyArray array_of(const std::string& path, const StoredTensor& tensor) {
    NpyArray array{.shape = {tensor.shape.begin(), tensor.shape.end()}, .values = {}};
    for (std::size_t i = 0; i < num_elements(tensor.shape); ++i) {
        array.values.push_back(id_at(path, tensor, i));
    }
    return array;
}

/// Returns the first number in a name: layers.12.topk_ids belongs to layer 12.
std::optional<std::uint32_t> number_in(const std::string& name) {
    const std::size_t start = name.find_first_of("0123456789");
    if (start == std::string::npos) {
        return std::nullopt;
    }
    std::uint32_t number = 0;
    std::from_chars(name.data() + start, name.data() + name.size(), number);
    return number;
}

/// Joins (tokens, top_k) tensors of layers, in the order of the numbers in their names.
RoutingTrace joined_layers(const std::string& path, std::vector<const StoredTensor*> layers) {
    std::ranges::sort(layers, {}, [](const StoredTensor* t) { return number_in(t->name); });
    const StoredTensor& first = *layers.front();
    NpyArray all{.shape = {first.shape[0], layers.size(), first.shape[1]}, .values = {}};
    all.values.resize(num_elements(first.shape) * layers.size());
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
        const StoredTensor& tensor = *layers[layer];
        require(tensor.shape == first.shape, "{}: {} is {}; allowed: {}, as {}", path, tensor.name,
                to_string(tensor.shape), to_string(first.shape), first.name);
        for (std::size_t t = 0; t < first.shape[0]; ++t) {
            for (std::size_t k = 0; k < first.shape[1]; ++k) {
                all.values[(t * layers.size() + layer) * first.shape[1] + k] =
                    id_at(path, tensor, t * first.shape[1] + k);
            }
        }
    }
    return trace_of(path, all);
}

RoutingTrace read_stored(const std::string& path) {
    const SafetensorsFile file(path);
    std::vector<const StoredTensor*> found;
    for (const StoredTensor& tensor : file.tensors()) {
        const bool is_trace = tensor.unreadable.empty() && is_integer(tensor.dtype) &&
                              (tensor.shape.size() == 2 || tensor.shape.size() == 3);
        if (is_trace && std::ranges::find(kTensorNames, tensor.name) != kTensorNames.end()) {
            return trace_of(path, array_of(path, tensor));
        }
        if (is_trace) {
            found.push_back(&tensor);
        }
    }
    const bool are_layers = found.size() > 1 && std::ranges::all_of(found, [](const auto* tensor) {
                                return tensor->shape.size() == 2 && number_in(tensor->name);
                            });
    require(found.size() == 1 || are_layers,
            "{}: {} tensors may be the ids; allowed: one of integers with 2 or 3 axes, one called "
            "topk_ids, routed_experts, expert_ids, selected_experts or expert_routing, or one with "
            "a number for each layer",
            path, found.size());
    return are_layers ? joined_layers(path, found) : trace_of(path, array_of(path, *found.front()));
}

/// Returns a number of (0, 1), never 0 or 1.
double unit(std::uint64_t word) {
    return (static_cast<double>(word >> 12U) + 0.5) / static_cast<double>(1ULL << 52U);
}

double normal(std::uint64_t seed, std::uint64_t index) {
    const double radius = std::sqrt(-2 * std::log(unit(random_word(seed, 2 * index))));
    return radius * std::cos(2 * std::numbers::pi * unit(random_word(seed, 2 * index + 1)));
}

/// A synthetic load: its word, its number, and what numbers mean.
struct Load {
    std::string word;
    double number = 0;
};

struct LoadRow {
    std::string_view word;
    double by_default;
    double most;
};
constexpr std::array kLoads{LoadRow{"uniform", 0, 0}, LoadRow{"zipf", 1, 8},
                            LoadRow{"lognormal", 1, 8}, LoadRow{"hot", 0.5, 1}};

Load parse_load(const std::string& text, std::string_view option) {
    const std::size_t colon = text.find(':');
    const std::string word = text.substr(0, colon);
    const auto row = std::ranges::find(kLoads, word, &LoadRow::word);
    require(row != kLoads.end(),
            "{} {}: no such file or load; allowed: a .npy or .safetensors file, uniform, "
            "zipf[:EXPONENT], lognormal[:SIGMA], hot[:SHARE]",
            option, text);
    if (colon == std::string::npos) {
        return {word, row->by_default};
    }
    require(row->most > 0, "{} {}: {} takes no number; allowed: {}", option, text, word, word);
    double number = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + colon + 1, end, number);
    require(error == std::errc() && rest == end && number >= 0 && number <= row->most,
            "{} {}: allowed after the colon: a number from 0 to {}", option, text, row->most);
    return {word, number};
}

/// Logarithms of the popularity of each expert.
std::vector<double> popularity(const Load& load, std::uint32_t experts, std::uint64_t seed) {
    std::vector<double> logs(experts, 0);
    const std::vector<std::uint32_t> order = random_permutation(seed, experts);
    for (std::uint32_t rank = 0; rank < experts; ++rank) {
        double& log = logs[order[rank]];
        if (load.word == "zipf") {
            log = -load.number * std::log(rank + 1.0);
        } else if (load.word == "lognormal") {
            log = load.number * normal(seed, rank);
        }
    }
    return logs;
}

}  // namespace

RoutingTrace read_routing(const std::filesystem::path& path) {
    if (path.extension() == ".npy" || is_npy(path)) {
        return trace_of(path.string(), read_npy(path));
    }
    return read_stored(path.string());
}

// Chooses without replacement by the largest keys log(weight) − log(−log(u)) (Gumbel).
RoutingTrace draw_routing(const std::string& text, const TraceShape& shape,
                          std::string_view option) {
    const Load load = parse_load(text, option);
    const std::uint64_t seed = seed_for(1, "routing " + text);
    const std::vector<double> logs = popularity(load, shape.experts, seed);
    const std::uint32_t hot = random_permutation(seed, shape.experts).front();
    RoutingTrace trace{
        .name = text, .tokens = shape.tokens, .layers = 1, .top_k = shape.top_k, .ids = {}};
    std::vector<std::pair<double, std::int32_t>> keys(shape.experts);
    for (std::uint32_t token = 0; token < shape.tokens; ++token) {
        for (std::uint32_t expert = 0; expert < shape.experts; ++expert) {
            const std::uint64_t at = std::uint64_t{token} * shape.experts + expert;
            keys[expert] = {-(logs[expert] - std::log(-std::log(unit(random_word(~seed, at))))),
                            static_cast<std::int32_t>(expert)};
        }
        if (load.word == "hot" && unit(random_word(mix64(seed), token)) < load.number) {
            keys[hot].first = -HUGE_VAL;
        }
        std::ranges::partial_sort(keys, keys.begin() + shape.top_k);
        for (std::uint32_t choice = 0; choice < shape.top_k; ++choice) {
            trace.ids.push_back(keys[choice].second);
        }
    }
    return trace;
}

RoutingTrace routing_called(const std::string& word, const TraceShape& shape,
                            std::string_view option) {
    return std::filesystem::exists(word) ? read_routing(word) : draw_routing(word, shape, option);
}

void require_ids(const RoutingTrace& trace, std::uint32_t experts) {
    for (std::size_t i = 0; i < trace.ids.size(); ++i) {
        const std::int32_t id = trace.ids[i];
        const std::size_t row = i / trace.top_k;
        require(id >= -1 && id < static_cast<std::int64_t>(experts),
                "{}: ids({},{},{}) is {}; allowed: -1 to {}, the experts of the layer", trace.name,
                row / trace.layers, row % trace.layers, i % trace.top_k, id, experts - 1);
        // Capped dispatches have one place for an expert of a token.
        const auto of_row = std::span(trace.ids).subspan(row * trace.top_k, i % trace.top_k);
        const auto same = id < 0 ? of_row.end() : std::ranges::find(of_row, id);
        require(same == of_row.end(),
                "{}: ids({},{},{}) is {}, as is the one at {}; a token selects an expert once",
                trace.name, row / trace.layers, row % trace.layers, i % trace.top_k, id,
                same - of_row.begin());
    }
}

Placement linear_placement(std::uint32_t experts, std::uint32_t devices) {
    Placement placement;
    for (std::uint32_t device = 0; device < devices; ++device) {
        placement.insert(placement.end(), experts / devices + (device < experts % devices ? 1 : 0),
                         device);
    }
    return placement;
}

RoutingLoad routing_load(const RoutingTrace& trace, std::uint32_t layer, const Placement& placement,
                         std::uint32_t devices) {
    RoutingLoad load{.experts = std::vector<std::uint64_t>(placement.size(), 0),
                     .devices = std::vector<double>(devices, 0)};
    std::uint64_t visits = 0;
    std::uint32_t choosing = 0;
    for (std::uint32_t token = 0; token < trace.tokens; ++token) {
        std::set<std::uint32_t> visited;
        for (std::uint32_t choice = 0; choice < trace.top_k; ++choice) {
            const std::int32_t id = trace.at(token, layer, choice);
            if (id >= 0) {
                ++load.experts[static_cast<std::size_t>(id)];
                ++load.devices[placement[static_cast<std::size_t>(id)]];
                visited.insert(placement[static_cast<std::size_t>(id)]);
            }
        }
        visits += visited.size();
        choosing += visited.empty() ? 0 : 1;
        load.most_devices = std::max(load.most_devices, static_cast<std::uint32_t>(visited.size()));
    }
    load.fan_out = choosing == 0 ? 0 : static_cast<double>(visits) / choosing;
    return load;
}

double max_over_mean(const std::vector<double>& loads) {
    const double sum = std::accumulate(loads.begin(), loads.end(), 0.0);
    return sum == 0 ? 1 : std::ranges::max(loads) * static_cast<double>(loads.size()) / sum;
}

}  // namespace tessera::model
