// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/layer_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ops/fused_moe/selection.hpp"
#include "runtime/model/checkpoint_tensors.hpp"
#include "runtime/model/families.hpp"
#include "runtime/steps/pipeline_spec.hpp"
#include "tessera/errors.hpp"

namespace tessera::model {
namespace {

/// Params of a run file, with the key of config.json that each follows from.
class Params {
public:
    Params(const ReadModel& read, LayerRun& run) : read_(read), run_(run) {}

    template <class T>
    void add(const char* name, const T& value, std::string about) {
        run_.values.push_back(
            {std::string("params.") + name, fmt::format("{}", value), std::move(about)});
    }
    /// Adds a number that the reader took from the file under `taken`.
    template <class T>
    void take(const char* name, const T& value, std::string_view taken) {
        const auto found = std::ranges::find(read_.taken, taken, &TakenValue::name);
        add(name, value,
            found == read_.taken.end() ? "of the family " + std::string(read_.model.family->name)
                                       : found->key);
    }

private:
    const ReadModel& read_;
    LayerRun& run_;
};

const char* scoring_word(Scoring scoring) {
    switch (scoring) {
        case Scoring::Softmax:
            return "softmax";
        case Scoring::SoftmaxOfChosen:
            return "topk_softmax";
        case Scoring::Sigmoid:
            return "sigmoid";
        case Scoring::SigmoidOnInput:
            return "llama4";
    }
    return "none";
}

void add_router(const MoeModel& model, Params& params) {
    const RouterNumbers& router = model.router;
    params.take("scoring", scoring_word(router.scoring), "scoring");
    params.take("renormalise", router.renormalises, "renormalise");
    params.take("routed_scaling_factor", router.scaling_factor, "scaling_factor");
    params.take("n_group", router.groups, "groups");
    params.take("topk_group", router.groups_kept, "groups_kept");
    params.take("correction_bias", router.has_correction_bias, "choice");
    params.take("router_bias", router.has_linear_bias, "");
}

void add_dispatch(const MoeModel& model, std::string_view quantisation, LayerRun& run,
                  Params& params) {
    // Words that the run file does not know are refused there.
    const auto* given =
        ops::fused_moe::find_prepare_finalize(run.demand.prepare_finalize.value_or(""));
    const auto pair = ops::fused_moe::select_pair(
        {.demands = {.ranks = run.demand.devices(),
                     .weights = ops::fused_moe::find_weight_format(quantisation)},
         .sizes = {.ranks = run.demand.devices(),
                   .tokens = run.demand.tokens,
                   .hidden = model.hidden,
                   .experts = model.experts,
                   .top_k = model.top_k,
                   .has_own_tokens = true},
         .prepare_finalize = given,
         .experts = ops::fused_moe::find_experts(run.demand.experts.value_or(""))});
    params.add("pf", pair.prepare_finalize->name, pair.prepare_finalize_reason);
    params.add("experts_by", pair.experts->name, pair.experts_reason);
    if (given == nullptr) {
        run.assumptions.push_back(fmt::format("dispatch {}: {}", pair.prepare_finalize->name,
                                              pair.prepare_finalize_reason));
    }
}

/// Rows of devices that share the heads: all, or one if their number does not divide the heads.
std::uint32_t attention_rows_of(const AttentionNumbers& attention, const LayerDemand& demand) {
    return attention.q_heads % demand.devices() == 0 ? demand.rows : 1;
}

bool is_latent(const AttentionNumbers& attention) {
    return attention.form == "mla";
}

/// States the parts of the model's attention that the shipped run file leaves out.
void assume_attention(const AttentionNumbers& attention, LayerRun& run) {
    if (!is_latent(attention) && attention.qk_norm != "none" && attention.qk_norm != "per head") {
        run.assumptions.push_back(
            fmt::format("norms of q and k ({}) are left out", attention.qk_norm));
    }
    if (!is_latent(attention) && attention.form != "gqa") {
        run.assumptions.push_back("the layer is one with full attention: " + attention.form);
    }
    if (run.demand.rows > 1 && attention_rows_of(attention, run.demand) == 1) {
        run.assumptions.push_back(
            fmt::format("each row of devices computes attention of all tokens, since {} devices do "
                        "not divide {} heads",
                        run.demand.devices(), attention.q_heads));
    }
}

/// Returns a whole number with ".0", since these params are decimals.
std::string decimal(double value) {
    const std::string text = fmt::format("{}", value);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

void add_yarn(const YarnNumbers& yarn, Params& params) {
    if (yarn.factor == 1) {
        return;
    }
    params.add("yarn_factor", decimal(yarn.factor), "rope_scaling.factor");
    params.add("yarn_beta_fast", decimal(yarn.beta_fast), "rope_scaling.beta_fast");
    params.add("yarn_beta_slow", decimal(yarn.beta_slow), "rope_scaling.beta_slow");
    params.add("yarn_original_positions", yarn.original_positions,
               "rope_scaling.original_max_position_embeddings");
    params.add("yarn_truncate", yarn.truncates, "rope_scaling.truncate");
}

/// Returns whether so many devices can share the heads; several share a head of keys if there are
/// more devices than such heads.
bool can_share_heads(const AttentionNumbers& attention, std::uint32_t devices) {
    const std::uint32_t keys = is_latent(attention) ? 1 : attention.kv_heads;
    return attention.q_heads % devices == 0 &&
           std::max(keys, devices) % std::min(keys, devices) == 0;
}

/// Errors   UsageError that names the mesh and the allowed ones: the run file would name params.
void require_shared_heads(const ReadModel& read, const LayerDemand& demand) {
    const AttentionNumbers& attention = read.model.attention;
    const std::uint32_t devices = attention_rows_of(attention, demand) * demand.columns;
    if (can_share_heads(attention, devices)) {
        return;
    }
    std::vector<std::uint32_t> allowed;
    for (std::uint32_t number = 1; number <= attention.q_heads; ++number) {
        if (can_share_heads(attention, number)) {
            allowed.push_back(number);
        }
    }
    throw UsageError(fmt::format(
        "--mesh {}x{}: {} devices cannot share {} heads of queries and {} of keys of {}; "
        "allowed: {}",
        demand.rows, demand.columns, devices, attention.q_heads, attention.kv_heads, read.name,
        fmt::join(allowed, ", ")));
}

/// Adds the numbers that both kinds of attention have.
void add_sequences(const ReadModel& read, const LayerDemand& demand, Params& params) {
    require_shared_heads(read, demand);
    const AttentionNumbers& attention = read.model.attention;
    const bool is_decode = demand.phase == Phase::Decode;
    params.add("sequences", is_decode ? demand.tokens : 1, "--tokens");
    params.add("query", is_decode ? 1 : demand.tokens, "--tokens");
    params.add("context", demand.context, "--context");
    params.add("tp", attention_rows_of(attention, demand) * demand.columns, "--mesh");
    params.take("num_heads", attention.q_heads, "heads");
    params.add("softmax_scale", attention.softmax_scale, attention.softmax_scale_rule);
    params.take("rope_theta", fmt::format("{:.1f}", attention.rope_theta), "rope_theta");
    add_yarn(attention.yarn, params);
    params.take("eps", attention.norm_epsilon, "norm_epsilon");
}

void add_grouped_attention(const ReadModel& read, LayerRun& run, Params& params) {
    const AttentionNumbers& attention = read.model.attention;
    params.add("phase", run.demand.phase == Phase::Decode ? "decode" : "prefill", "--phase");
    params.take("num_kv_heads", attention.kv_heads, "kv_heads");
    params.take("head_dim", attention.qk_head_dim, "head_dim");
    params.take("rotary_dim", attention.rotary_dim, "rotary_share");
    params.take("qk_norm", attention.qk_norm == "per head", "qk_norm");
    params.take("bias", attention.has_qkv_bias, "qkv_bias");
    params.take("sinks", attention.has_sinks, "");
    params.take("sliding_window", attention.window, "sliding_window");
    if (attention.has_qkv_bias && !read.model.family->has_sinks) {
        run.values.push_back({"tensors.bo.origin", "zeros", "this family has no bias there"});
    }
}

void add_latent_attention(const AttentionNumbers& attention, LayerRun& run, Params& params) {
    params.take("q_lora_rank", attention.latent.query, "q_lora_rank");
    params.take("kv_lora_rank", attention.latent.key_value, "kv_lora_rank");
    params.take("qk_nope_head_dim", attention.latent.unrotated, "qk_nope_head_dim");
    params.take("qk_rope_head_dim", attention.rotary_dim, "qk_rope_head_dim");
    params.take("v_head_dim", attention.v_head_dim, "v_head_dim");
    if (attention.yarn.factor != 1) {
        params.add("yarn_attention_factor", decimal(attention.yarn.attention_factor),
                   "rope_scaling.mscale and mscale_all_dim");
    }
    if (attention.latent.has_indexer) {
        run.assumptions.emplace_back(
            "tokens attend to all positions, without the indexer, which deepseek_v32_decode has");
    }
}

void add_attention(const ReadModel& read, LayerRun& run, Params& params) {
    const AttentionNumbers& attention = read.model.attention;
    add_sequences(read, run.demand, params);
    if (is_latent(attention)) {
        add_latent_attention(attention, run, params);
    } else {
        add_grouped_attention(read, run, params);
    }
    assume_attention(attention, run);
}

/// Adds the storage of the experts' weights. A value of --set is not repeated.
/// Returns it: a value of params.quantisation.
std::string add_quantisation(const ReadModel& read, const CheckpointTensors& weights, LayerRun& run,
                             Params& params) {
    const PublishedWeights& published = read.model.published;
    if (run.demand.quantisation) {
        return *run.demand.quantisation;
    }
    if (run.demand.weights) {
        if (weights.quantisation != kUnquantised) {
            params.add("quantisation", weights.quantisation, "codes of the files of --weights");
        }
        return std::string(weights.quantisation);
    }
    if (published.quantisation == kUnquantised) {
        return kUnquantised;
    }
    if (const std::string* why = exclusion_of(published, layer_of(read, run.demand))) {
        run.assumptions.push_back(bfloat16_instead(published, *why));
        return kUnquantised;
    }
    const std::string about = fmt::format("quantization_config, {}", published.method);
    params.add("quantisation", published.quantisation, about);
    if (published.quantisation == "int4_group") {
        params.add("group", published.group, about);
        params.add("zero_points", published.has_zero_points ? 1 : 0, about);
    }
    run.assumptions.push_back(
        fmt::format("experts have codes as published ({}); bfloat16: --set "
                    "params.quantisation=none",
                    published.quantisation));
    if (!published.note.empty()) {
        run.assumptions.push_back(published.note);
    }
    return published.quantisation;
}

CheckpointTensors moe_weights(const ReadModel& read, const LayerDemand& demand) {
    const std::uint32_t layer = layer_of(read, demand);
    return demand.weights
               ? checkpoint_tensors(read.model, *demand.weights, layer, demand.quantisation)
               : CheckpointTensors{};
}

void add_weights(const ReadModel& read, const CheckpointTensors& moe, LayerRun& run) {
    const auto add = [&](const CheckpointTensors& found) {
        run.values.insert(run.values.end(), found.origins.begin(), found.origins.end());
        run.assumptions.insert(run.assumptions.end(), found.assumptions.begin(),
                               found.assumptions.end());
    };
    add(moe);
    if (run.demand.weights && run.demand.part == LayerPart::Whole) {
        add(attention_tensors(read.model, *run.demand.weights, layer_of(read, run.demand)));
    }
}

void add_ids(LayerRun& run, Params& params) {
    const LayerDemand& demand = run.demand;
    if (!demand.ids_file) {
        return;
    }
    params.add("ids", "given_ids", demand.ids_source);
    run.values.push_back(
        {"tensors.given_ids.origin.file", nlohmann::json(demand.ids_file->string()).dump()});
    run.assumptions.push_back(
        fmt::format("experts are those of {}; their weights are of the router's own choices",
                    demand.ids_source));
}

}  // namespace

std::uint32_t layer_of(const ReadModel& read, const LayerDemand& demand) {
    const auto& layers = read.model.moe_layers;
    const std::uint32_t layer = demand.layer.value_or(layers.front());
    require(std::ranges::find(layers, layer) != layers.end(),
            "--layer-index {}: layer {} of {} has no experts; allowed: {}", layer, layer, read.name,
            layers.size() == layers.back() - layers.front() + 1
                ? fmt::format("{} to {}", layers.front(), layers.back())
                : fmt::format("{}", fmt::join(layers, ", ")));
    return layer;
}

std::string quantisation_of(const ReadModel& read, const LayerDemand& demand) {
    const PublishedWeights& published = read.model.published;
    return demand.quantisation.value_or(exclusion_of(published, layer_of(read, demand)) == nullptr
                                            ? published.quantisation
                                            : kUnquantised);
}

LayerRun layer_run(const ReadModel& read, const LayerDemand& demand) {
    const MoeModel& model = read.model;
    const bool is_whole = demand.part == LayerPart::Whole;
    LayerRun run{.extends = !is_whole                    ? "model_moe"
                            : is_latent(model.attention) ? "model_latent_layer"
                                                         : "model_layer",
                 .demand = demand,
                 .values = {},
                 .assumptions = read.assumptions};
    require(model.router.scoring != Scoring::SigmoidOnInput || model.top_k == 1,
            "{}: num_experts_per_tok: is {}; allowed with weights on the input: 1", read.path,
            model.top_k);
    Params params(read, run);
    if (is_whole) {
        params.take("H", model.hidden, "hidden");
        add_attention(read, run, params);
    } else {
        params.add("tokens", demand.tokens, "--tokens");
        params.take("hidden", model.hidden, "hidden");
    }
    params.take("experts", model.experts, "experts");
    params.take("top_k", model.top_k, "top_k");
    params.take("intermediate", model.intermediate, "intermediate");
    params.take(
        "shared_intermediate", model.shared.intermediate,
        model.family->shared == SharedRule::OwnSize ? "shared_intermediate" : "shared_experts");
    params.take("shared_gate", model.shared.has_gate, "");
    add_router(model, params);
    params.take("activation",
                model.activation == ExpertActivation::SwigluOai ? "swigluoai" : "silu",
                "activation");
    const CheckpointTensors weights = moe_weights(read, demand);
    add_dispatch(model, add_quantisation(read, weights, run, params), run, params);
    params.take("expert_biases", model.has_expert_biases, "");
    add_weights(read, weights, run);
    add_ids(run, params);
    if (!demand.computes_values && !demand.ids_file) {
        params.add("logits", "drawn_logits", "without values the router has no logits");
        run.assumptions.emplace_back(
            "no values are computed, so experts are chosen by drawn logits (load zipf, exponent "
            "1)");
    }
    return run;
}

namespace {

/// Returns a device as YAML: a path may hold characters that mean something there.
std::string device_text(const std::string& device) {
    return device.find('/') == std::string::npos ? device : nlohmann::json(device).dump();
}

/// Returns the mesh and every other value of the run file, in the order of its text.
std::vector<PathValue> values_of(const LayerRun& run) {
    const LayerDemand& demand = run.demand;
    std::vector<PathValue> values{
        {"mesh.device", device_text(demand.device), "--device"},
        {"mesh.shape", fmt::format("[{}, {}]", demand.rows, demand.columns), "--mesh"}};
    values.insert(values.end(), run.values.begin(), run.values.end());
    return values;
}

}  // namespace

std::string run_file_text(const ReadModel& read, const LayerRun& run,
                          std::span<const config::Override> sets) {
    std::string text = fmt::format(
        "# A layer of {} ({}), written by tessera model; edit it and run it with tessera run.\n",
        read.name, read.model.family->name);
    for (const std::string& assumption : run.assumptions) {
        text += fmt::format("# Assumed: {}.\n", assumption);
    }
    std::vector<PathValue> values = values_of(run);
    for (const config::Override& set : sets) {
        values.push_back({set.path, set.value, "--set"});
    }
    return text + fmt::format("extends: {}\n", run.extends) + yaml_text(values);
}

std::vector<config::Override> overrides_of(const LayerRun& run) {
    std::vector<config::Override> overrides;
    for (const PathValue& value : values_of(run)) {
        // Files are opened by the run, not by its plan.
        if (!value.path.starts_with("tensors.")) {
            // Messages name the key themselves.
            overrides.push_back(
                {value.path, value.value, fmt::format("tessera model ({})", value.about)});
        }
    }
    return overrides;
}

}  // namespace tessera::model
