// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/checkpoint_tensors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "emu/base/tensor_file/checkpoint.hpp"
#include "runtime/model/families.hpp"
#include "runtime/pipeline/stored_numbers.hpp"
#include "tessera/errors.hpp"

namespace tessera::model {
namespace {

// Keys of an origin.
constexpr const char* kTransposed = ", transposed: true";
constexpr const char* kInverse = ", inverse: true";
constexpr const char* kLargest = ", largest: true";

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

    /// Adds the origin of a tensor. `more` are further keys of it.
    void add(const char* tensor, const std::vector<std::string_view>& names,
             const std::string& more = "", const char* suffix = "") {
        std::vector<std::string> stored;
        stored.reserve(names.size());
        for (const std::string_view name : names) {
            stored.push_back(prefix_ + std::string(name) + suffix);
        }
        result_.origins.push_back(
            {fmt::format("tensors.{}.origin", tensor),
             fmt::format("{{checkpoint: {}, tensors: {}{}}}", nlohmann::json(folder_).dump(),
                         nlohmann::json(stored).dump(), more)});
    }

    [[nodiscard]] bool has(std::string_view name, const char* suffix) const {
        return files_.find(prefix_ + std::string(name) + suffix).tensor != nullptr;
    }
    /// Returns the stored tensor of a name, for one expert; null if there is none.
    [[nodiscard]] const StoredTensor* find(std::string name, const char* suffix = "",
                                           std::uint32_t expert = 0) const {
        const std::size_t star = name.find('*');
        if (star != std::string::npos) {
            name.replace(star, 1, std::to_string(expert));
        } else if (expert != 0) {
            return nullptr;
        }
        return files_.find(prefix_ + name + suffix).tensor;
    }

private:
    const Checkpoint& files_;
    std::string folder_;
    CheckpointTensors& result_;
    std::string prefix_;
};

/// Experts in codes: suffixes of their names in files, and tensors of the run.
struct CodedNames {
    std::string_view quantisation;  ///< of these files
    Dtype dtype;                    ///< of codes
    const char* codes;
    const char* scales;
    std::array<const char*, 2> codes_tensors;
    std::array<const char*, 2> scale_tensors;
    std::string_view other = {};    ///< a quantisation of activations that has the same weights
    const char* factors = nullptr;  ///< of a number for each matrix
    const char* inputs = nullptr;   ///< name in place of `weight`: a number of its activations
    bool are_divisors = false;      ///< these numbers
};
constexpr std::array kPacked{"experts_gate_up_packed", "experts_down_packed"};
constexpr std::array kE4m3Scales{"experts_gate_up_e4m3_scale", "experts_down_e4m3_scale"};
constexpr std::array kRows{"experts_gate_up", "experts_down"};
constexpr std::array kRowScales{"experts_gate_up_scale", "experts_down_scale"};
constexpr std::array kExpertScales{"experts_gate_up_scale_of_expert",
                                   "experts_down_scale_of_expert"};
constexpr std::array kFactors{"experts_gate_up_factor", "experts_down_factor"};
constexpr std::array kInputs{"experts_input_scale", "experts_activated_scale"};
// DeepSeek's names, those of compressed-tensors, gpt-oss and modelopt.
constexpr CodedNames kCodedNames[]{
    {"fp8_block", Dtype::F8_E4M3, "", "_scale_inv", kRows, kRowScales},
    {"fp8_channel", Dtype::F8_E4M3, "", "_scale", kRows, kRowScales},
    {.quantisation = "fp8_static",
     .dtype = Dtype::F8_E4M3,
     .codes = "",
     .scales = "_scale",
     .codes_tensors = kRows,
     .scale_tensors = kExpertScales,
     .other = "fp8_tensor",
     .inputs = "input_scale"},
    {.quantisation = "mxfp4",
     .dtype = Dtype::U8,
     .codes = "_blocks",
     .scales = "_scales",
     .codes_tensors = kPacked,
     .scale_tensors = {"experts_gate_up_exponents", "experts_down_exponents"},
     .other = "mxfp4_w4a4"},
    {"nvfp4", Dtype::U8, "", "_scale", kPacked, kE4m3Scales, "nvfp4_weights", "_scale_2",
     "input_scale"},
    {"nvfp4", Dtype::U8, "_packed", "_scale", kPacked, kE4m3Scales, "nvfp4_weights",
     "_global_scale", "input_global_scale", true},
};

std::string input_name(std::string_view weight, const CodedNames& coded) {
    return std::string(weight.substr(0, weight.rfind('.') + 1)) + coded.inputs;
}

/// Whether the scales of a matrix have the shape that the quantisation has.
bool have_scales(const CodedNames& coded, const Shape& codes, const StoredTensor& scales) {
    const auto blocks = [](std::uint32_t extent) {
        return pipeline::blocks_of(extent, pipeline::kScaleBlock);
    };
    if (coded.factors != nullptr) {
        return scales.dtype == Dtype::F8_E4M3;
    }
    if (coded.quantisation == "fp8_static") {
        return num_elements(scales.shape) == 1;
    }
    const Shape expected = coded.quantisation == "fp8_block"
                               ? Shape{blocks(codes[0]), blocks(codes[1])}
                               : Shape{codes[0], 1};
    return scales.shape == expected &&
           (scales.dtype == Dtype::F32 || coded.quantisation != "fp8_block");
}

/// Whether gate and up of each expert have one scale, as rows of one matrix need it. Files whose experts
/// share other scales are judged when the numbers are read.
bool share_scales(const CheckpointNames& names, const CodedNames& coded, const Origins& origins) {
    if (coded.scale_tensors != kExpertScales) {
        return true;
    }
    for (std::uint32_t expert = 0;; ++expert) {
        const StoredTensor* gate = origins.find(std::string(names.gate), coded.scales, expert);
        const StoredTensor* up = origins.find(std::string(names.up), coded.scales, expert);
        if (gate == nullptr || up == nullptr) {
            return true;
        }
        if (pipeline::number_at(*gate, 0) != pipeline::number_at(*up, 0)) {
            return false;
        }
    }
}

/// Returns how the files store the experts' codes; null if the layer takes bfloat16.
const CodedNames* stored_codes(const CheckpointNames& names, const Origins& origins) {
    const std::string gate(names.gate);
    const auto* const row = std::ranges::find_if(kCodedNames, [&](const CodedNames& coded) {
        const StoredTensor* codes = origins.find(gate, coded.codes);
        const StoredTensor* scales = origins.find(gate, coded.scales);
        if (codes == nullptr || scales == nullptr || codes->dtype != coded.dtype) {
            return false;
        }
        const bool is_whole =
            coded.factors == nullptr || origins.find(gate, coded.factors) != nullptr;
        const bool is_stack = coded.quantisation == "mxfp4";
        return is_stack ||
               (names.layout == ExpertLayout::OneByOne && codes->shape.size() == 2 && is_whole &&
                have_scales(coded, codes->shape, *scales) && share_scales(names, coded, origins));
    });
    return row == std::end(kCodedNames) ? nullptr : row;
}

/// Whether only the scales of gate and up keep experts from having the codes of the files.
bool have_scales_of_their_own(const CheckpointNames& names, const Origins& origins) {
    const StoredTensor* codes = origins.find(std::string(names.gate));
    const StoredTensor* scales = origins.find(std::string(names.gate), "_scale");
    return names.layout == ExpertLayout::OneByOne && codes->dtype == Dtype::F8_E4M3 &&
           scales != nullptr && num_elements(scales->shape) == 1 &&
           stored_codes(names, origins) == nullptr;
}

void add_coded_experts(const CheckpointNames& names, const CodedNames& coded, Origins& origins,
                       CheckpointTensors& result) {
    std::array<std::vector<std::string_view>, 2> weights{std::vector{names.gate}, {names.down}};
    if (names.layout == ExpertLayout::OneByOne) {
        weights[0].push_back(names.up);
    }
    const std::string divisors = coded.are_divisors ? kInverse : "";
    for (std::size_t i = 0; i < weights.size(); ++i) {
        origins.add(coded.codes_tensors[i], weights[i], "", coded.codes);
        origins.add(coded.scale_tensors[i], weights[i], "", coded.scales);
        if (coded.factors != nullptr) {
            origins.add(kFactors[i], weights[i], divisors, coded.factors);
        }
        if (result.quantisation == coded.quantisation && coded.inputs != nullptr) {
            std::vector<std::string> inputs;
            std::ranges::transform(weights[i], std::back_inserter(inputs),
                                   [&](auto name) { return input_name(name, coded); });
            origins.add(kInputs[i], {inputs.begin(), inputs.end()}, kLargest + divisors);
        }
    }
    result.assumptions.push_back(fmt::format(
        "experts keep the codes of the files ({}); other weights are converted to bfloat16",
        result.quantisation));
}

void add_converted_experts(const CheckpointNames& names, Origins& origins,
                           CheckpointTensors& result) {
    const bool is_mxfp4 = origins.has(names.gate, "_blocks");
    // Codes of MXFP4 are stored as (out, in), unlike the bfloat16 weights of the same model.
    const bool is_turned = !is_mxfp4 && (names.layout == ExpertLayout::StackedTransposed ||
                                         names.layout == ExpertLayout::StackedInterleaved);
    const char* turned = is_turned ? kTransposed : "";
    if (names.layout == ExpertLayout::OneByOne) {
        origins.add("experts_gate_up", {names.gate, names.up});
    } else {
        origins.add("experts_gate_up", {names.gate}, turned);
    }
    origins.add("experts_down", {names.down}, turned);
    const StoredTensor* codes = origins.find(std::string(names.gate));
    if (is_mxfp4) {
        result.assumptions.emplace_back("MXFP4 weights are converted to bfloat16, which is exact");
    } else if (codes != nullptr && (codes->dtype == Dtype::F8_E4M3 || codes->dtype == Dtype::I8)) {
        result.assumptions.push_back(
            fmt::format("{} weights are multiplied by their scales and rounded to bfloat16{}",
                        codes->dtype == Dtype::I8 ? "int8" : "fp8",
                        have_scales_of_their_own(names, origins)
                            ? ": gate and up of an expert have different scales"
                            : ""));
    } else if (stored_codes(names, origins) != nullptr) {
        result.assumptions.emplace_back(
            "NVFP4 weights are multiplied by their scales and rounded to bfloat16");
    }
}

void add_experts(const CheckpointNames& names, const CodedNames* coded, Origins& origins,
                 CheckpointTensors& result) {
    if (!names.gate_bias.empty()) {
        origins.add("experts_gate_up_bias", {names.gate_bias});
        origins.add("experts_down_bias", {names.down_bias});
    }
    if (result.quantisation == kUnquantised) {
        return add_converted_experts(names, origins, result);
    }
    add_coded_experts(names, *coded, origins, result);
}

/// Returns the quantisation of the run's experts: that of the files, or the one that the user
/// demands.
std::string_view chosen_quantisation(const std::filesystem::path& folder, const CodedNames* coded,
                                     bool has_inputs, const std::optional<std::string>& demanded) {
    std::vector<std::string_view> allowed;
    if (coded != nullptr && has_inputs) {
        allowed.push_back(coded->quantisation);
    }
    if (coded != nullptr && !coded->other.empty()) {
        allowed.push_back(coded->other);
    }
    allowed.push_back(kUnquantised);
    const auto found =
        demanded ? std::ranges::find(allowed, std::string_view(*demanded)) : allowed.begin();
    require(found != allowed.end(),
            "--weights {}: experts are stored as {}, but params.quantisation is {}; allowed: {}{}",
            folder.string(), coded == nullptr ? "numbers" : allowed.front(), demanded.value_or(""),
            fmt::join(allowed.begin(), allowed.end() - (coded == nullptr ? 0 : 1), ", "),
            coded == nullptr ? "" : ", or none, which converts them to bfloat16");
    return *found;
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
    const CodedNames* coded = stored_codes(names, origins);
    const bool has_inputs = coded == nullptr || coded->inputs == nullptr ||
                            origins.find(input_name(names.gate, *coded)) != nullptr;
    result.quantisation = chosen_quantisation(folder, coded, has_inputs, quantisation);
    add_experts(names, coded, origins, result);
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
