// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/checkpoint_tensors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "emu/base/tensor_file/checkpoint.hpp"
#include "runtime/model/families.hpp"
#include "tessera/errors.hpp"

namespace tessera::model {
namespace {

/// Orientation of a stored matrix: that of the run, or transposed.
enum class Turned : std::uint8_t { No, Yes };

/// Prefixes under which a layer's tensors may be stored: a language model by itself, or as a part of
/// a model with other inputs.
std::vector<std::string> prefixes_of(std::string_view pattern, std::uint32_t layer) {
    const std::string prefix = fmt::format(fmt::runtime(pattern), layer);
    const std::size_t start = prefix.find("layers.");
    const std::string rest = prefix.substr(start);
    return {prefix, "model." + rest, "language_model.model." + rest,
            "model.language_model." + rest};
}

class Origins {
public:
    Origins(const Checkpoint& files, std::string folder, CheckpointTensors& result)
        : files_(files), folder_(std::move(folder)), result_(result) {}

    /// Takes the first prefix under which there is a tensor `name`.
    void choose_prefix(std::string_view pattern, std::uint32_t layer, std::string_view name) {
        const auto prefixes = prefixes_of(pattern, layer);
        for (const std::string& prefix : prefixes) {
            if (files_.find(prefix + std::string(name)).tensor != nullptr) {
                prefix_ = prefix;
                return;
            }
        }
        // The message has the name that this family documents.
        (void)files_.at(prefixes.front() + std::string(name));
    }

    void add(const char* tensor, const std::vector<std::string_view>& names,
             Turned turned = Turned::No) {
        std::vector<std::string> stored;
        for (const std::string_view name : names) {
            stored.push_back(prefix_ + std::string(name));
        }
        result_.origins.push_back(
            {fmt::format("tensors.{}.origin", tensor),
             fmt::format("{{checkpoint: {}, tensors: {}{}}}", nlohmann::json(folder_).dump(),
                         nlohmann::json(stored).dump(),
                         turned == Turned::Yes ? ", transposed: true" : "")});
    }

    [[nodiscard]] bool has(std::string_view name, const char* suffix) const {
        return files_.find(prefix_ + std::string(name) + suffix).tensor != nullptr;
    }
    [[nodiscard]] bool is_fp8(std::string name) const {
        const std::size_t star = name.find('*');
        const auto entry =
            files_.find(prefix_ + (star == std::string::npos ? name : name.replace(star, 1, "0")));
        return entry.tensor != nullptr && entry.tensor->dtype == Dtype::F8_E4M3;
    }

private:
    const Checkpoint& files_;
    std::string folder_;
    CheckpointTensors& result_;
    std::string prefix_;
};

void add_experts(const CheckpointNames& names, Origins& origins, CheckpointTensors& result) {
    const bool is_mxfp4 = origins.has(names.gate, "_blocks");
    // Codes of MXFP4 are stored as (out, in), unlike the bfloat16 weights of the same model.
    const bool is_turned = !is_mxfp4 && (names.layout == ExpertLayout::StackedTransposed ||
                                         names.layout == ExpertLayout::StackedInterleaved);
    const Turned turned = is_turned ? Turned::Yes : Turned::No;
    if (names.layout == ExpertLayout::OneByOne) {
        origins.add("experts_gate_up", {names.gate, names.up});
    } else {
        origins.add("experts_gate_up", {names.gate}, turned);
    }
    origins.add("experts_down", {names.down}, turned);
    if (!names.gate_bias.empty()) {
        origins.add("experts_gate_up_bias", {names.gate_bias});
        origins.add("experts_down_bias", {names.down_bias});
    }
    if (is_mxfp4) {
        result.assumptions.emplace_back("MXFP4 weights are converted to bfloat16, which is exact");
    } else if (origins.is_fp8(std::string(names.gate))) {
        result.assumptions.emplace_back(
            "fp8 weights are multiplied by their scales and rounded to bfloat16");
    }
}

}  // namespace

CheckpointTensors attention_tensors(const MoeModel& model, const std::filesystem::path& folder,
                                    std::uint32_t layer) {
    const Checkpoint files(folder);
    CheckpointTensors result;
    Origins origins(files, std::filesystem::absolute(folder).lexically_normal().string(), result);
    const std::string_view prefix = model.family->names.prefix;
    origins.choose_prefix(prefix.substr(0, prefix.find("{}.") + 3), layer,
                          "self_attn.q_proj.weight");
    struct Name {
        const char* tensor;
        const char* stored;
        bool is_used = true;
    };
    const AttentionNumbers& attention = model.attention;
    for (const Name& name :
         {Name{"input_norm", "input_layernorm.weight"},
          Name{"moe_norm", "post_attention_layernorm.weight"},
          Name{"wq", "self_attn.q_proj.weight"}, Name{"wk", "self_attn.k_proj.weight"},
          Name{"wv", "self_attn.v_proj.weight"}, Name{"wo", "self_attn.o_proj.weight"},
          Name{"q_norm", "self_attn.q_norm.weight", attention.qk_norm == "per head"},
          Name{"k_norm", "self_attn.k_norm.weight", attention.qk_norm == "per head"},
          Name{"bq", "self_attn.q_proj.bias", attention.has_qkv_bias},
          Name{"bk", "self_attn.k_proj.bias", attention.has_qkv_bias},
          Name{"bv", "self_attn.v_proj.bias", attention.has_qkv_bias},
          Name{"bo", "self_attn.o_proj.bias",
               attention.has_qkv_bias && origins.has("self_attn.o_proj.bias", "")},
          Name{"sinks", "self_attn.sinks", attention.has_sinks}}) {
        if (name.is_used) {
            origins.add(name.tensor, {name.stored});
        }
    }
    return result;
}

CheckpointTensors checkpoint_tensors(const MoeModel& model, const std::filesystem::path& folder,
                                     std::uint32_t layer) {
    const CheckpointNames& names = model.family->names;
    const Checkpoint files(folder);
    CheckpointTensors result;
    Origins origins(files, std::filesystem::absolute(folder).lexically_normal().string(), result);
    origins.choose_prefix(names.prefix, layer, names.router);
    origins.add("router_weight", {names.router});
    if (model.router.has_linear_bias) {
        origins.add("router_bias", {names.router_bias});
    }
    if (model.router.has_correction_bias) {
        origins.add("correction_bias", {names.correction_bias});
    }
    add_experts(names, origins, result);
    if (model.shared.intermediate > 0) {
        origins.add("shared_gate_up", {names.shared_gate_proj, names.shared_up_proj});
        origins.add("shared_down", {names.shared_down_proj});
    }
    if (model.shared.has_gate) {
        origins.add("shared_gate_weight", {names.shared_gate});
    }
    return result;
}

}  // namespace tessera::model
