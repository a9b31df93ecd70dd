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

/// Prefixes under which a layer's tensors may be stored: a language model by itself, or as a part
/// of a model with other inputs.
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
             Turned turned = Turned::No, const char* suffix = "") {
        std::vector<std::string> stored;
        stored.reserve(names.size());
        for (const std::string_view name : names) {
            stored.push_back(prefix_ + std::string(name) + suffix);
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
    /// Returns the stored tensor of a name, for the first expert; null if there is none.
    [[nodiscard]] const StoredTensor* find(std::string name, const char* suffix = "") const {
        const std::size_t star = name.find('*');
        return files_
            .find(prefix_ + (star == std::string::npos ? name : name.replace(star, 1, "0")) +
                  suffix)
            .tensor;
    }

private:
    const Checkpoint& files_;
    std::string folder_;
    CheckpointTensors& result_;
    std::string prefix_;
};

constexpr std::string_view kFp8Block = "fp8_block";
constexpr std::string_view kMxfp4 = "mxfp4";

/// Returns the params.quantisation that keeps the codes of the experts.
std::string_view stored_quantisation(const CheckpointNames& names, const Origins& origins) {
    if (origins.find(std::string(names.gate), "_blocks") != nullptr) {
        return kMxfp4;
    }
    const StoredTensor* codes = origins.find(std::string(names.gate));
    const StoredTensor* scales = origins.find(std::string(names.gate), "_scale_inv");
    if (names.layout != ExpertLayout::OneByOne || codes == nullptr || scales == nullptr ||
        codes->dtype != Dtype::F8_E4M3 || codes->shape.size() != 2) {
        return kUnquantised;
    }
    constexpr std::uint32_t kBlock = 128;
    const Shape blocks{(codes->shape[0] + kBlock - 1) / kBlock,
                       (codes->shape[1] + kBlock - 1) / kBlock};
    return scales->shape == blocks && scales->dtype == Dtype::F32 ? kFp8Block : kUnquantised;
}

/// Suffixes of stored names, and tensors of the run, of experts in codes.
struct CodedNames {
    std::string_view quantisation;
    const char* codes;   ///< suffix of the codes' name
    const char* scales;  ///< suffix of the scales' name
    const char* codes_tensors[2];
    const char* scale_tensors[2];
};
constexpr CodedNames kCodedNames[]{
    {kFp8Block,
     "",
     "_scale_inv",
     {"experts_gate_up", "experts_down"},
     {"experts_gate_up_scale", "experts_down_scale"}},
    {kMxfp4,
     "_blocks",
     "_scales",
     {"experts_gate_up_packed", "experts_down_packed"},
     {"experts_gate_up_exponents", "experts_down_exponents"}},
};

void add_coded_experts(const CheckpointNames& names, const CodedNames& coded, Origins& origins) {
    std::vector<std::string_view> gate_up{names.gate};
    if (names.layout == ExpertLayout::OneByOne) {
        gate_up.push_back(names.up);
    }
    origins.add(coded.codes_tensors[0], gate_up, Turned::No, coded.codes);
    origins.add(coded.scale_tensors[0], gate_up, Turned::No, coded.scales);
    origins.add(coded.codes_tensors[1], {names.down}, Turned::No, coded.codes);
    origins.add(coded.scale_tensors[1], {names.down}, Turned::No, coded.scales);
}

void add_converted_experts(const CheckpointNames& names, Origins& origins,
                           CheckpointTensors& result) {
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
    const StoredTensor* codes = origins.find(std::string(names.gate));
    if (is_mxfp4) {
        result.assumptions.emplace_back("MXFP4 weights are converted to bfloat16, which is exact");
    } else if (codes != nullptr && codes->dtype == Dtype::F8_E4M3) {
        result.assumptions.emplace_back(
            "fp8 weights are multiplied by their scales and rounded to bfloat16");
    }
}

void add_experts(const CheckpointNames& names, Origins& origins, CheckpointTensors& result) {
    if (!names.gate_bias.empty()) {
        origins.add("experts_gate_up_bias", {names.gate_bias});
        origins.add("experts_down_bias", {names.down_bias});
    }
    for (const CodedNames& coded : kCodedNames) {
        if (coded.quantisation == result.quantisation) {
            result.assumptions.push_back(fmt::format(
                "experts keep the codes of the files ({}); other weights are converted to bfloat16",
                coded.quantisation));
            return add_coded_experts(names, coded, origins);
        }
    }
    add_converted_experts(names, origins, result);
}

/// Returns the quantisation of the run's experts: that of the files, or bfloat16 by demand.
std::string_view chosen_quantisation(const std::filesystem::path& folder, std::string_view stored,
                                     const std::optional<std::string>& demanded) {
    require(!demanded || *demanded == stored || *demanded == kUnquantised,
            "--weights {}: experts are stored as {}, but params.quantisation is {}; allowed: {}",
            folder.string(), stored == kUnquantised ? "numbers" : stored, demanded.value_or(""),
            stored == kUnquantised
                ? std::string(kUnquantised)
                : fmt::format("{}, or none, which converts them to bfloat16", stored));
    return demanded ? (*demanded == stored ? stored : kUnquantised) : stored;
}

}  // namespace

namespace {

/// A tensor of attention, and its name in files.
struct AttentionName {
    const char* tensor;
    const char* stored;
    bool is_used = true;
};

std::vector<AttentionName> grouped_names(const AttentionNumbers& attention,
                                         const Origins& origins) {
    return {{"wq", "self_attn.q_proj.weight"},
            {"wk", "self_attn.k_proj.weight"},
            {"wv", "self_attn.v_proj.weight"},
            {"q_norm", "self_attn.q_norm.weight", attention.qk_norm == "per head"},
            {"k_norm", "self_attn.k_norm.weight", attention.qk_norm == "per head"},
            {"bq", "self_attn.q_proj.bias", attention.has_qkv_bias},
            {"bk", "self_attn.k_proj.bias", attention.has_qkv_bias},
            {"bv", "self_attn.v_proj.bias", attention.has_qkv_bias},
            {"bo", "self_attn.o_proj.bias",
             attention.has_qkv_bias && origins.has("self_attn.o_proj.bias", "")},
            {"sinks", "self_attn.sinks", attention.has_sinks}};
}

std::vector<AttentionName> latent_names(const AttentionNumbers& attention) {
    const bool has_latent = attention.latent.query > 0;
    return {{"wq_a", "self_attn.q_a_proj.weight", has_latent},
            {"q_norm", "self_attn.q_a_layernorm.weight", has_latent},
            {"wq_b", has_latent ? "self_attn.q_b_proj.weight" : "self_attn.q_proj.weight"},
            {"wkv_a", "self_attn.kv_a_proj_with_mqa.weight"},
            {"kv_norm", "self_attn.kv_a_layernorm.weight"},
            {"wkv_b", "self_attn.kv_b_proj.weight"}};
}

}  // namespace

CheckpointTensors attention_tensors(const MoeModel& model, const std::filesystem::path& folder,
                                    std::uint32_t layer) {
    const Checkpoint files(folder);
    CheckpointTensors result;
    Origins origins(files, std::filesystem::absolute(folder).lexically_normal().string(), result);
    const std::string_view prefix = model.family->names.prefix;
    origins.choose_prefix(prefix.substr(0, prefix.find("{}.") + 3), layer,
                          "self_attn.o_proj.weight");
    origins.add("input_norm", {"input_layernorm.weight"});
    origins.add("moe_norm", {"post_attention_layernorm.weight"});
    origins.add("wo", {"self_attn.o_proj.weight"});
    const AttentionNumbers& attention = model.attention;
    for (const AttentionName& name : attention.latent.key_value > 0
                                         ? latent_names(attention)
                                         : grouped_names(attention, origins)) {
        if (name.is_used) {
            origins.add(name.tensor, {name.stored});
        }
    }
    return result;
}

CheckpointTensors checkpoint_tensors(const MoeModel& model, const std::filesystem::path& folder,
                                     std::uint32_t layer,
                                     const std::optional<std::string>& quantisation) {
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
    result.quantisation =
        chosen_quantisation(folder, stored_quantisation(names, origins), quantisation);
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
