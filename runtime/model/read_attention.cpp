// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "runtime/model/families.hpp"
#include "runtime/model/value_reader.hpp"

namespace tessera::model {
namespace {

/// Returns the map with the parameters of the rotation, which newer files call rope_parameters.
std::optional<ConfigJson> rope_section(const ConfigJson& file) {
    for (const char* key : {"rope_parameters", "rope_scaling"}) {
        if (file.has(key)) {
            return file.section(key);
        }
    }
    return std::nullopt;
}

/// Returns 0.1 · m · ln(factor) + 1 for the number m under `key`: with mscale_all_dim the square of
/// it enlarges the softmax scale of latent attention.
double yarn_scale(const ConfigJson& file, const char* key) {
    const auto rope = rope_section(file);
    if (!rope || !rope->has(key) || !rope->has("factor")) {
        return 1;
    }
    const double factor = rope->number("factor");
    return factor <= 1 ? 1 : 0.1 * rope->number(key) * std::log(factor) + 1;
}

void read_latent(ValueReader& reader, const ClassDefaults& defaults, AttentionNumbers& attention) {
    const std::uint32_t latent = reader.count("kv_lora_rank", "kv_lora_rank");
    const std::uint32_t nope = reader.count("qk_nope_head_dim", "qk_nope_head_dim");
    attention.rotary_dim = reader.count("qk_rope_head_dim", "qk_rope_head_dim");
    attention.v_head_dim = reader.count("v_head_dim", "v_head_dim");
    attention.form = "mla";
    attention.kv_heads = 1;
    attention.qk_head_dim = nope + attention.rotary_dim;
    attention.cached_elements = latent + attention.rotary_dim;
    attention.qk_norm = "latent norms";
    attention.latent = {
        .query = reader.count_or_none("q_lora_rank", "q_lora_rank", defaults.query_rank, 0),
        .key_value = latent,
        .unrotated = nope,
        .has_indexer = reader.file().has("index_topk")};
    const double scale = yarn_scale(reader.file(), "mscale_all_dim");
    attention.softmax_scale = std::pow(attention.qk_head_dim, -0.5) * scale * scale;
    attention.softmax_scale_rule =
        scale == 1 ? "qk_head_dim^-0.5"
                   : "qk_head_dim^-0.5 * (0.1 * mscale_all_dim * ln(factor) + 1)^2";
}

std::string qk_norm_of(ValueReader& reader, QkNorm rule) {
    switch (rule) {
        case QkNorm::None:
            return "none";
        case QkNorm::PerHead:
            return "per head";
        case QkNorm::Whole:
            return "over the whole projection";
        case QkNorm::PerHeadByKey:
            return reader.flag_or("qk_norm", "use_qk_norm", false) ? "per head" : "none";
        case QkNorm::L2ByKey:
            return reader.flag_or("qk_norm", "use_qk_norm", true)
                       ? "L2 without a weight, after the rotation"
                       : "none";
    }
    return "none";
}

std::uint32_t read_head_dim(ValueReader& reader, std::uint32_t heads) {
    if (reader.file().has("head_dim")) {
        return reader.count("head_dim", "head_dim");
    }
    const std::uint32_t hidden = reader.model().hidden;
    reader.require_value(hidden % heads == 0, "num_attention_heads",
                         fmt::format("a divisor of hidden_size {}, or head_dim", hidden));
    return hidden / heads;
}

void read_window(ValueReader& reader, const Family& family, AttentionNumbers& attention) {
    const ConfigJson& file = reader.file();
    const bool is_off = file.has("use_sliding_window") && !file.flag("use_sliding_window");
    if (is_off || !file.has("sliding_window")) {
        return;
    }
    attention.window = reader.count("sliding_window", "sliding_window");
    attention.sliding_window = fmt::format(
        "{}, {}", family.has_sinks ? "every second layer" : "every layer", attention.window);
}

void read_grouped(ValueReader& reader, const Family& family, AttentionNumbers& attention) {
    attention.form = "gqa";
    if (reader.file().has("full_attention_interval")) {
        const std::uint32_t interval = reader.count("interval", "full_attention_interval");
        attention.form =
            fmt::format("gqa; {} of {} layers linear attention", interval - 1, interval);
    }
    const std::uint32_t heads = attention.q_heads;
    const std::uint32_t otherwise =
        family.defaults.kv_heads == 0 ? heads : family.defaults.kv_heads;
    attention.kv_heads = reader.count_or_none("kv_heads", "num_key_value_heads", otherwise, heads);
    reader.require_value(attention.q_heads % attention.kv_heads == 0, "num_key_value_heads",
                         fmt::format("a divisor of {} heads", attention.q_heads));
    attention.qk_head_dim = read_head_dim(reader, attention.q_heads);
    attention.v_head_dim = attention.qk_head_dim;
    const auto rope = rope_section(reader.file());
    constexpr const char* kShare = "partial_rotary_factor";
    const double share =
        rope && rope->has(kShare) ? rope->number(kShare)
        : family.default_rotary_share == 1 && !reader.file().has(kShare)
            ? 1
            : reader.number_or("rotary_share", kShare, family.default_rotary_share);
    attention.rotary_dim = static_cast<std::uint32_t>(std::lround(share * attention.qk_head_dim));
    attention.cached_elements = 2 * attention.kv_heads * attention.qk_head_dim;
    attention.qk_norm = qk_norm_of(reader, family.qk_norm);
    attention.has_qkv_bias =
        reader.flag_or("qkv_bias", family.qkv_bias_key, family.qkv_bias == QkvBias::ByKeyElseYes);
    attention.has_sinks = family.has_sinks;
    read_window(reader, family, attention);
    attention.softmax_scale = std::pow(attention.qk_head_dim, -0.5);
    attention.softmax_scale_rule = "head_dim^-0.5";
    if (reader.file().has("attention_multiplier")) {
        attention.softmax_scale =
            reader.number_or("softmax_scale", "attention_multiplier", 1, kPositive);
        attention.softmax_scale_rule = "attention_multiplier";
    }
}

std::string rope_type_of(const ConfigJson& rope) {
    for (const char* key : {"rope_type", "type"}) {
        if (rope.has(key)) {
            return rope.text(key);
        }
    }
    return "default";
}

// Absent keys have the defaults of the transformers library's YaRN.
YarnNumbers read_yarn(const ConfigJson& rope, const ConfigJson& file) {
    YarnNumbers yarn{.factor = rope.number("factor")};
    yarn.beta_fast = rope.has("beta_fast") ? rope.number("beta_fast") : yarn.beta_fast;
    yarn.beta_slow = rope.has("beta_slow") ? rope.number("beta_slow") : yarn.beta_slow;
    yarn.truncates = !rope.has("truncate") || rope.flag("truncate");
    constexpr const char* kOriginal = "original_max_position_embeddings";
    yarn.original_positions =
        rope.has(kOriginal) ? rope.count(kOriginal) : file.count("max_position_embeddings");
    return yarn;
}

void read_rotation(ValueReader& reader, const ClassDefaults& defaults,
                   AttentionNumbers& attention) {
    const auto rope = rope_section(reader.file());
    attention.rope_theta =
        rope && rope->has("rope_theta")
            ? rope->number("rope_theta")
            : reader.number_or("rope_theta", "rope_theta", defaults.rope_theta, {1, 1e30});
    const std::string type = rope ? rope_type_of(*rope) : "default";
    if (type == "yarn") {
        attention.yarn = read_yarn(*rope, reader.file());
        attention.yarn.attention_factor =
            yarn_scale(reader.file(), "mscale") / yarn_scale(reader.file(), "mscale_all_dim");
    } else if (type != "default") {
        reader.assume(fmt::format("rotation without the scaling of type {}", type));
    }
}

// Granite multiplies what a layer adds; the shipped run files add it as it is.
void read_residual(ValueReader& reader) {
    constexpr const char* kMultiplier = "residual_multiplier";
    if (reader.file().has(kMultiplier) && reader.file().number(kMultiplier) != 1) {
        reader.assume(
            fmt::format("{} {} is left out", kMultiplier, reader.file().number(kMultiplier)));
    }
}

}  // namespace

void read_attention(ValueReader& reader, MoeModel& model) {
    AttentionNumbers& attention = model.attention;
    attention.q_heads = reader.count("heads", "num_attention_heads", {1, 4096});
    if (model.family->attention == AttentionRule::Latent) {
        read_latent(reader, model.family->defaults, attention);
    } else {
        read_grouped(reader, *model.family, attention);
    }
    read_rotation(reader, model.family->defaults, attention);
    read_residual(reader);
    attention.norm_epsilon = reader.number_or("norm_epsilon", "rms_norm_eps",
                                              model.family->defaults.norm_epsilon, {0, 1});
}

}  // namespace tessera::model
