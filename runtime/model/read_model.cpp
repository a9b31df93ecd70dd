// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/read_model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "runtime/model/config_json.hpp"
#include "runtime/model/excluded_experts.hpp"
#include "runtime/model/families.hpp"
#include "runtime/model/value_reader.hpp"
#include "tessera/errors.hpp"

namespace tessera::model {
namespace {

/// Keys under which models state the number of routed experts. A file may have several, equal.
constexpr std::array<std::string_view, 3> kExpertsKeys{"num_experts", "num_local_experts",
                                                       "n_routed_experts"};
constexpr std::string_view kTopK = "num_experts_per_tok";

/// Keys of the row for models without a family, for the message about an unknown family.
constexpr std::string_view kGenericKeys =
    "hidden_size, num_experts, num_experts_per_tok, moe_intermediate_size, num_hidden_layers and "
    "num_attention_heads";

const Family* family_with(std::string_view word, std::span<const std::string_view> Family::*words) {
    for (const Family& family : all_families()) {
        if (std::ranges::find(family.*words, word) != (family.*words).end()) {
            return &family;
        }
    }
    return nullptr;
}

std::string all_model_types() {
    std::string types;
    for (const Family& family : all_families()) {
        types +=
            fmt::format("{}{}", types.empty() ? "" : ", ", fmt::join(family.model_types, ", "));
    }
    return types;
}

constexpr const char* kTextConfig = "text_config";

/// Returns whether a key of this level names a family.
bool names_family(const ConfigJson& file) {
    const auto classes =
        file.has("architectures") ? file.words("architectures") : std::vector<std::string>{};
    return (file.has("model_type") &&
            family_with(file.text("model_type"), &Family::model_types) != nullptr) ||
           (!classes.empty() && family_with(classes.front(), &Family::architectures) != nullptr);
}

/// Returns the family that model_type names, or architectures in a file without one.
/// Errors   UsageError if there is none, or if the two keys name different ones.
const Family& family_of(const ConfigJson& file) {
    // A model with other inputs beside text names the family of its language model in text_config.
    if (file.has(kTextConfig) && !names_family(file) && names_family(file.section(kTextConfig))) {
        return family_of(file.section(kTextConfig));
    }
    const std::vector<std::string> classes =
        file.has("architectures") ? file.words("architectures") : std::vector<std::string>{};
    const Family* by_class =
        classes.empty() ? nullptr : family_with(classes.front(), &Family::architectures);
    const bool has_type = file.has("model_type");
    const Family* by_type =
        has_type ? family_with(file.text("model_type"), &Family::model_types) : by_class;
    require(by_type != nullptr,
            "{}: {}; allowed: {}. For another mixture of experts write \"model_type\": \"moe\" "
            "with {}",
            file.place("model_type"),
            has_type
                ? "is \"" + file.text("model_type") + "\", which is not a family of this version"
                : "is missing",
            all_model_types(), kGenericKeys);
    // The family of other models has no classes: a config.json keeps its own beside that type.
    require(by_class == nullptr || by_class == by_type || by_type->architectures.empty(),
            "{}: contradicts model_type \"{}\"; allowed: {}", file.place("architectures"),
            has_type ? file.text("model_type") : "", fmt::join(by_type->architectures, ", "));
    return *by_type;
}

/// Sizes of matrices, as the params of the run files allow them. With more, the bytes of all experts
/// would not fit 64 bits, and a layer that no device holds would seem small.
constexpr CountRange kSizes{1, 1U << 20U};

void read_experts(ValueReader& reader, MoeModel& model) {
    const Family& family = *model.family;
    constexpr std::uint32_t kMostExperts = 65536;
    model.hidden = reader.count("hidden", "hidden_size", kSizes);
    model.layers = reader.count("layers", "num_hidden_layers", {1, 4096});
    model.experts = reader.count("experts", family.experts_key, {1, kMostExperts});
    for (const std::string_view key : kExpertsKeys) {
        reader.require_value(!reader.file().has(key) || reader.file().count(key) == model.experts,
                             key, fmt::format("{}, as {} says", model.experts, family.experts_key));
    }
    model.top_k = reader.count("top_k", kTopK, {1, kMostExperts});
    reader.require_value(model.top_k <= model.experts, kTopK,
                         fmt::format("1 to {}, the {}", model.experts, family.experts_key));
    if (reader.file().has("experts_per_token")) {
        reader.require_value(reader.file().count("experts_per_token") == model.top_k,
                             "experts_per_token",
                             fmt::format("{}, as {} says", model.top_k, kTopK));
    }
    model.intermediate = reader.count("intermediate", family.intermediate_key, kSizes);
    model.has_expert_biases = family.has_expert_biases;
}

void read_activation(ValueReader& reader, MoeModel& model) {
    const std::string activation = reader.text_or("activation", "hidden_act", "silu");
    reader.require_value(activation == "silu" || activation == "swish", "hidden_act",
                         "silu, the activation of all families here");
    if (model.family->has_swigluoai) {
        // The family's code, not the key, says that the gate is limited and shifted.
        reader.assume(
            "experts compute swigluoai, as the model's class does; hidden_act names its "
            "sigmoid part");
        constexpr double kLimit = 7;
        model.activation = ExpertActivation::SwigluOai;
        model.activation_limit = reader.number_or("limit", "swiglu_limit", kLimit, kPositive);
    }
}

/// Returns whether the router chooses by a correction bias, and reads the groups.
bool read_groups(ValueReader& reader, const Family& family, RouterNumbers& router) {
    if (family.groups == GroupRule::None) {
        // A model of this family chooses from all experts, so another number would be ignored.
        reader.require_value(!reader.file().has("n_group") || reader.file().count("n_group") == 1,
                             "n_group", "1, since routers of this family have no groups");
        return false;
    }
    std::string method = "noaux_tc";
    if (family.groups == GroupRule::ByMethod) {
        method = reader.text_or("choice", "topk_method", family.default_method);
        require(method == "greedy" || method == "group_limited_greedy" || method == "noaux_tc",
                "{}: is \"{}\"; allowed: greedy, group_limited_greedy, noaux_tc",
                reader.file().place("topk_method"), method);
    }
    if (method == "greedy") {
        // Models with this method state groups that nothing reads.
        const bool has_groups = reader.file().has("n_group") && reader.file().count("n_group") > 1;
        require(!has_groups || reader.file().has("topk_method"),
                "{}: is missing, beside groups of experts; allowed: greedy, "
                "group_limited_greedy, noaux_tc",
                reader.file().place("topk_method"));
        if (has_groups) {
            reader.assume("n_group has no effect: topk_method is greedy");
        }
    } else {
        const std::uint32_t experts = reader.model().experts;
        router.groups = reader.count_or_none("groups", "n_group", family.defaults.groups, 1);
        reader.require_value(experts % router.groups == 0, "n_group",
                             fmt::format("a divisor of {} experts", experts));
        router.groups_kept = reader.count_or_none(
            "groups_kept", "topk_group", std::min(family.defaults.groups_kept, router.groups), 1);
        reader.require_value(router.groups_kept <= router.groups, "topk_group",
                             fmt::format("1 to {}, the n_group", router.groups));
        const std::uint32_t open = experts / router.groups * router.groups_kept;
        reader.require_value(reader.model().top_k <= open, kTopK,
                             fmt::format("1 to {}, the experts of {} of {} groups", open,
                                         router.groups_kept, router.groups));
    }
    return method == "noaux_tc";
}

void read_router(ValueReader& reader, const Family& family, RouterNumbers& router) {
    router.scoring = family.scoring;
    router.has_linear_bias = family.has_router_bias;
    if (family.has_scoring_key) {
        const bool is_sigmoid = family.scoring == Scoring::Sigmoid;
        const std::string word =
            reader.text_or("scoring", "scoring_func", is_sigmoid ? "sigmoid" : "softmax");
        require(word == "softmax" || word == "sigmoid", "{}: is \"{}\"; allowed: softmax, sigmoid",
                reader.file().place("scoring_func"), word);
        router.scoring = word == "sigmoid" ? Scoring::Sigmoid : Scoring::Softmax;
    }
    router.renormalises = family.renormalise == Renormalise::Always ||
                          (family.renormalise != Renormalise::Never &&
                           reader.flag_or("renormalise", "norm_topk_prob",
                                          family.renormalise == Renormalise::ByKeyElseYes));
    router.has_correction_bias = read_groups(reader, family, router);
    if (family.groups != GroupRule::None) {
        router.scaling_factor = reader.number_or("scaling_factor", "routed_scaling_factor",
                                                 family.defaults.scaling_factor, kPositive);
    }
}

void read_shared(ValueReader& reader, MoeModel& model) {
    SharedExperts& shared = model.shared;
    switch (model.family->shared) {
        case SharedRule::None:
            break;
        case SharedRule::Counted:
            shared.count = reader.count_or_none("shared_experts", "n_shared_experts",
                                                model.family->defaults.shared_experts, 0, {0, 64});
            shared.intermediate = shared.count * model.intermediate;
            break;
        case SharedRule::OwnSize:
            shared = {
                1, reader.count("shared_intermediate", "shared_expert_intermediate_size", kSizes),
                true};
            break;
        case SharedRule::OneExpert:
            shared = {1, model.intermediate, false};
            break;
    }
}

/// Returns whether a layer has experts, by the keys of the family.
template <class HasExperts>
void choose_moe_layers(MoeModel& model, const HasExperts& has_experts) {
    for (std::uint32_t layer = 0; layer < model.layers; ++layer) {
        if (has_experts(layer)) {
            model.moe_layers.push_back(layer);
        }
    }
}

void read_sparse_step(ValueReader& reader, MoeModel& model) {
    const std::uint32_t step = reader.count_or("sparse_step", "decoder_sparse_step", 1);
    const auto dense = reader.file().has("mlp_only_layers")
                           ? reader.file().counts("mlp_only_layers", {0, model.layers - 1})
                           : std::vector<std::uint32_t>{};
    choose_moe_layers(model, [&](std::uint32_t layer) {
        return (layer + 1) % step == 0 && std::ranges::find(dense, layer) == dense.end();
    });
}

void read_interleaved(ValueReader& reader, MoeModel& model) {
    if (reader.file().has("moe_layers")) {
        const auto listed = reader.file().counts("moe_layers", {0, model.layers - 1});
        choose_moe_layers(model, [&](std::uint32_t layer) {
            return std::ranges::find(listed, layer) != listed.end();
        });
        return;
    }
    const std::uint32_t step = reader.count_or("moe_step", "interleave_moe_layer_step", 1);
    choose_moe_layers(model, [&](std::uint32_t layer) { return (layer + 1) % step == 0; });
}

void read_layers(ValueReader& reader, MoeModel& model) {
    switch (model.family->dense) {
        case DenseRule::None:
            choose_moe_layers(model, [](std::uint32_t) { return true; });
            break;
        case DenseRule::FirstLayers: {
            const std::uint32_t first =
                reader.count_or("dense_layers", "first_k_dense_replace",
                                model.family->default_dense_layers, {0, model.layers});
            const std::uint32_t step = reader.file().has("moe_layer_freq")
                                           ? reader.count("moe_step", "moe_layer_freq")
                                           : 1;
            choose_moe_layers(
                model, [&](std::uint32_t layer) { return layer >= first && layer % step == 0; });
            break;
        }
        case DenseRule::SparseStep:
            read_sparse_step(reader, model);
            break;
        case DenseRule::Interleaved:
            read_interleaved(reader, model);
            break;
    }
    require(!model.moe_layers.empty(),
            "{}: no layer has experts; allowed: keys that leave at least one of {} layers",
            reader.file().path(), model.layers);
}

/// Reads the storage of the published weights. Files of nested models have it at either level.
void read_quantisation(ValueReader& reader, const ConfigJson& whole, MoeModel& model) {
    constexpr const char* kKey = "quantization_config";
    const ConfigJson& file = reader.file().has(kKey) ? reader.file() : whole;
    if (!file.has(kKey)) {
        return;
    }
    const ConfigJson section = file.section(kKey);
    PublishedWeights& published = model.published;
    published = read_published_weights(section);
    published.excluded = excluded_experts(section, model);
    if (published.excluded.size() == model.moe_layers.size()) {
        published.quantisation = kUnquantised;
        published.untaken = published.excluded.begin()->second;
        published.excluded.clear();
    }
    if (!published.untaken.empty()) {
        reader.assume(bfloat16_instead(published, published.untaken));
    }
}

std::string name_of_model(const std::filesystem::path& path) {
    const std::filesystem::path whole = std::filesystem::absolute(path);
    return path.filename() == "config.json" ? whole.parent_path().filename().string()
                                            : path.stem().string();
}

}  // namespace

ReadModel read_model(const std::filesystem::path& path) {
    ConfigJson file(path);
    ReadModel result{.name = name_of_model(path), .path = path.string()};
    MoeModel& model = result.model;
    model.family = &family_of(file);
    const ConfigJson whole = file;
    file.enter(kTextConfig);
    ValueReader reader(file, result);
    read_experts(reader, model);
    read_activation(reader, model);
    read_router(reader, *model.family, model.router);
    read_shared(reader, model);
    read_layers(reader, model);
    read_attention(reader, model);
    read_quantisation(reader, whole, model);
    return result;
}

}  // namespace tessera::model
