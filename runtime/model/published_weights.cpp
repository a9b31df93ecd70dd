// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/published_weights.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "ops/fused_moe/weight_formats.hpp"
#include "ops/shared/expert_rows/expert_product.hpp"
#include "runtime/model/config_json.hpp"

namespace tessera::model {
namespace {

/// The sides of a block that shares a scale in fp8_block.
const std::vector<std::uint32_t> kBlockSides{ops::kScaleBlock, ops::kScaleBlock};

std::string word_or(const ConfigJson& section, std::string_view key, std::string_view otherwise) {
    return section.has(key) ? section.text(key) : std::string(otherwise);
}

bool flag_or(const ConfigJson& section, std::string_view key, bool otherwise) {
    return section.has(key) ? section.flag(key) : otherwise;
}

PublishedWeights taken(std::string quantisation) {
    PublishedWeights weights;
    weights.quantisation = std::move(quantisation);
    return weights;
}

PublishedWeights untaken(std::string property) {
    PublishedWeights weights;
    weights.untaken = std::move(property);
    return weights;
}

PublishedWeights blocks_of(const ConfigJson& section, std::string_view key) {
    const auto sides = section.counts(key, {1, 1U << 16U});
    return sides == kBlockSides
               ? taken("fp8_block")
               : untaken(fmt::format("{} is [{}], allowed: [{}]", key, fmt::join(sides, ", "),
                                     fmt::join(kBlockSides, ", ")));
}

constexpr const char* kGroupSize = "group_size";
constexpr const char* kInputActivations = "input_activations";

/// Codes of 4 bits: `group_size` −1 or absent has one scale for all columns.
PublishedWeights int4_of(const ConfigJson& section, bool has_zero_points) {
    PublishedWeights weights = taken("int4_group");
    weights.has_zero_points = has_zero_points;
    if (section.has(kGroupSize) && section.number(kGroupSize) != -1) {
        weights.group = section.count(kGroupSize);
        const auto& groups = ops::kScaleGroups;
        if (std::ranges::find(groups, weights.group) == groups.end()) {
            return untaken(fmt::format("{} of int4 codes is {}, allowed: 32, 64, 128, 256 or -1",
                                       kGroupSize, weights.group));
        }
    }
    return weights;
}

PublishedWeights fp8(const ConfigJson& section) {
    constexpr const char* kBlockKey = "weight_block_size";
    if (section.has(kBlockKey)) {
        return blocks_of(section, kBlockKey);
    }
    return taken(word_or(section, "activation_scheme", "dynamic") == "static" ? "fp8_static"
                                                                              : "fp8_tensor");
}

PublishedWeights fbgemm_fp8(const ConfigJson& /*section*/) {
    return taken("fp8_channel");
}

PublishedWeights mxfp4(const ConfigJson& /*section*/) {
    return taken("mxfp4");
}

/// Group of GPTQConfig and AwqConfig of transformers, if a model states none.
constexpr std::uint32_t kAbsentGroup = 128;

/// Returns integer codes whose number of bits the method states.
PublishedWeights grouped_integers(const ConfigJson& section, bool has_zero_points) {
    const std::uint32_t bits = section.has("bits") ? section.count("bits") : 4;
    PublishedWeights weights =
        bits == 4 ? int4_of(section, has_zero_points)
                  : untaken(fmt::format("codes of {} bits share scales in groups, allowed: 4 bits",
                                        bits));
    if (bits == 4 && !section.has(kGroupSize)) {
        weights.group = kAbsentGroup;
        weights.note = fmt::format("{} is absent; {} columns share a scale, as in transformers",
                                   kGroupSize, kAbsentGroup);
    }
    if (flag_or(section, "desc_act", false)) {
        weights.note += fmt::format(
            "{}desc_act orders columns by their activations; the run keeps "
            "their order",
            weights.note.empty() ? "" : "; ");
    }
    return weights;
}

PublishedWeights awq(const ConfigJson& section) {
    return grouped_integers(section, flag_or(section, "zero_point", true));
}

PublishedWeights gptq(const ConfigJson& section) {
    return grouped_integers(section, !flag_or(section, "sym", true));
}

PublishedWeights modelopt(const ConfigJson& section) {
    const std::string algorithm = word_or(section, "quant_algo", "unnamed");
    if (algorithm == "FP8") {
        return taken("fp8_static");
    }
    if (algorithm != "NVFP4") {
        return untaken(fmt::format("quant_algo is {}, allowed: FP8, NVFP4", algorithm));
    }
    const std::uint32_t group =
        section.has(kGroupSize) ? section.count(kGroupSize) : ops::kE4m3Block;
    return group == ops::kE4m3Block ? taken("nvfp4")
                                    : untaken(fmt::format("{} of NVFP4 is {}, allowed: {}",
                                                          kGroupSize, group, ops::kE4m3Block));
}

/// Returns the group of compressed-tensors that has the experts: one that names them, else the
/// first, whose target is every linear layer.
ConfigJson expert_group(const ConfigJson& section) {
    const ConfigJson groups = section.section("config_groups");
    const std::vector<std::string> names = groups.keys();
    for (const std::string& name : names) {
        ConfigJson group = groups.section(name);
        const auto targets =
            group.has("targets") ? group.words("targets") : std::vector<std::string>{};
        if (std::ranges::any_of(targets, [](const std::string& target) {
                return target.find("expert") != std::string::npos;
            })) {
            return group;
        }
    }
    return groups.section(names.empty() ? "group_0" : names.front());
}

/// Codes of weights or activations in the words of compressed-tensors.
struct StatedCodes {
    std::string type;
    std::uint32_t bits = 0;
    bool operator==(const StatedCodes&) const = default;
    [[nodiscard]] std::string text() const { return fmt::format("{} of {} bits", type, bits); }
};

/// Returns the words for codes of the op quantise.
StatedCodes stated_codes(std::string_view codes) {
    return codes == "fp8_e4m3" ? StatedCodes{"float", 8}
           : codes == "e2m1"   ? StatedCodes{"float", 4}
                               : StatedCodes{"int", 8};
}

/// Compares the activations that a group states with those that the layer computes with.
PublishedWeights with_activations(PublishedWeights weights, const ConfigJson& group,
                                  const StatedCodes& codes) {
    const auto* format = ops::fused_moe::find_weight_format(weights.quantisation);
    const char* computed = format->activations.codes;
    if (!weights.untaken.empty()) {
        return weights;
    }
    if (!group.has(kInputActivations)) {
        if (computed != nullptr) {
            weights.note =
                fmt::format("{} is absent; the run takes activations as {}, which {} has",
                            kInputActivations, stated_codes(computed).text(), format->name);
        }
        return weights;
    }
    // compressed-tensors takes absent keys as 8 bits and int.
    const ConfigJson inputs = group.section(kInputActivations);
    const StatedCodes stated{word_or(inputs, "type", "int"),
                             inputs.has("num_bits") ? inputs.count("num_bits") : 8};
    if (computed != nullptr && stated == stated_codes(computed)) {
        return weights;
    }
    return untaken(fmt::format("{} are {} with weights of {}, allowed: {}none", kInputActivations,
                               stated.text(), codes.text(),
                               computed == nullptr ? "" : stated_codes(computed).text() + " or "));
}

PublishedWeights compressed_floats(const ConfigJson& weights, std::uint32_t bits, bool has_inputs,
                                   bool has_static_inputs) {
    const std::string strategy = word_or(weights, "strategy", "tensor");
    if (bits == 4) {
        const double group = weights.has(kGroupSize) ? weights.number(kGroupSize) : 0;
        return group == ops::kMicroBlock ? taken(has_inputs ? "mxfp4_w4a4" : "mxfp4")
               : group == ops::kE4m3Block
                   ? taken(has_inputs ? "nvfp4" : "nvfp4_weights")
                   : untaken(
                         fmt::format("{} of 4-bit floats is {}, allowed: {}, {}", kGroupSize,
                                     weights.has(kGroupSize) ? fmt::format("{}", group) : "missing",
                                     ops::kE4m3Block, ops::kMicroBlock));
    }
    if (strategy == "block") {
        return blocks_of(weights, "block_structure");
    }
    if (strategy == "channel") {
        return taken("fp8_channel");
    }
    return strategy == "tensor"
               ? taken(has_static_inputs ? "fp8_static" : "fp8_tensor")
               : untaken(fmt::format("strategy of fp8 weights is {}, allowed: tensor, channel, "
                                     "block",
                                     strategy));
}

PublishedWeights compressed_integers(const ConfigJson& weights, std::uint32_t bits,
                                     bool has_inputs) {
    const bool is_symmetric = flag_or(weights, "symmetric", true);
    if (bits == 4) {
        return int4_of(weights, !is_symmetric);
    }
    const std::string strategy = word_or(weights, "strategy", "tensor");
    return strategy == "channel" && is_symmetric
               ? taken(has_inputs ? "int8_channel" : "int8_weights")
               : untaken(fmt::format("int8 weights are {} with strategy {}, allowed: symmetric "
                                     "with strategy channel",
                                     is_symmetric ? "symmetric" : "asymmetric", strategy));
}

PublishedWeights compressed_tensors(const ConfigJson& section) {
    const ConfigJson group = expert_group(section);
    const ConfigJson weights = group.section("weights");
    const std::uint32_t bits = weights.count("num_bits");
    const bool has_inputs = group.has(kInputActivations);
    if (bits != 4 && bits != 8) {
        return untaken(fmt::format("num_bits is {}, allowed: 4, 8", bits));
    }
    const StatedCodes codes{word_or(weights, "type", "int"), bits};
    if (codes.type != "float") {
        return with_activations(compressed_integers(weights, bits, has_inputs), group, codes);
    }
    // `dynamic` of NVFP4 is a word.
    const bool has_static_inputs =
        has_inputs && bits == 8 && !flag_or(group.section(kInputActivations), "dynamic", false);
    return with_activations(compressed_floats(weights, bits, has_inputs, has_static_inputs), group,
                            codes);
}

/// A quant_method, and how its section is read.
struct Method {
    std::string_view name;
    PublishedWeights (*read)(const ConfigJson& section);
};
constexpr std::array kMethods{
    Method{"fp8", fp8},
    Method{"fbgemm_fp8", fbgemm_fp8},
    Method{"compressed-tensors", compressed_tensors},
    Method{"awq", awq},
    Method{"gptq", gptq},
    Method{"auto-round", gptq},
    Method{"mxfp4", mxfp4},
    Method{"modelopt", modelopt},
    Method{"modelopt_fp4", modelopt},
};

}  // namespace

PublishedWeights read_published_weights(const ConfigJson& section) {
    const std::string method = word_or(section, "quant_method", "unnamed");
    const auto* const row = std::ranges::find(kMethods, method, &Method::name);
    std::vector<std::string_view> names;
    std::ranges::transform(kMethods, std::back_inserter(names), &Method::name);
    PublishedWeights weights = row == kMethods.end()
                                   ? untaken(fmt::format("quant_method is {}, allowed: {}", method,
                                                         fmt::join(names, ", ")))
                                   : row->read(section);
    weights.method = method;
    return weights;
}

const std::string* exclusion_of(const PublishedWeights& weights, std::uint32_t layer) {
    const auto found = weights.excluded.find(layer);
    return found == weights.excluded.end() ? nullptr : &found->second;
}

std::string bfloat16_instead(const PublishedWeights& weights, std::string_view why) {
    return fmt::format("published weights are quantised ({}), but {}; experts are bfloat16",
                       weights.method, why);
}

}  // namespace tessera::model
