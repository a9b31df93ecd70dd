// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/moe_explain.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "ops/fused_moe/fused_moe.hpp"
#include "runtime/cli/config_options.hpp"
#include "tessera/errors.hpp"

namespace tessera::cli {
namespace {

namespace fused = ops::fused_moe;

bool is_layer(const pipeline::PipelineStep& step) {
    return step.op->spec.name == fused::kSpec.name;
}

std::string explain(const pipeline::PipelineStep& step) {
    const auto& spec = step.parameters.get().as<fused::MoeSpec>();
    const auto ranks = static_cast<std::uint32_t>(step.groups.front().size());
    const fused::Layer layer = fused::layer_of(step.input_plans, ranks, spec);
    const fused::Selection pair = fused::selection_of(step.input_plans, ranks, spec);
    const std::string_view reduce = pair.experts->finalize_weight_and_reduce;
    return fmt::format(
        "{}: {} experts, {} of each token, {} tokens on {} device{}\n"
        "  prepare/finalize   {} ({}): {}\n"
        "  experts            {} ({}): {}\n"
        "  weight and reduce  {}: {}\n",
        step.name, layer.experts, layer.top_k, layer.tokens, ranks, ranks == 1 ? "" : "s",
        pair.prepare_finalize->name, pair.prepare_finalize->like, pair.prepare_finalize_reason,
        pair.experts->name, pair.experts->like, pair.experts_reason, reduce,
        fused::find_weight_and_reduce(reduce)->what);
}

ExitCode explain_run(const ConfigOptions& options, const Console& console) {
    const config::LoadedRun loaded = load(options);
    const std::string text = explain_layers(loaded.pipeline, ExplainedLayers::All);
    require(!text.empty(), "{}: no step has the op {}", options.config, fused::kSpec.name);
    console.out << text;
    return ExitCode::Success;
}

}  // namespace

std::string explain_layers(const pipeline::PipelineSpec& pipeline, ExplainedLayers layers) {
    std::string text;
    for (const pipeline::PipelineStep& step : pipeline.replaced_steps) {
        if (!is_layer(step)) {
            continue;
        }
        const auto& spec = step.parameters.get().as<fused::MoeSpec>();
        const bool is_auto = spec.pf.row == nullptr || spec.experts.row == nullptr;
        text += is_auto || layers == ExplainedLayers::All ? explain(step) : "";
    }
    return text;
}

Command add_moe_explain(CLI::App& moe, Console& console) {
    auto* command = moe.add_subcommand(
        "explain", "Say which parts the MoE layers of a run have, and why they were chosen");
    auto options = std::make_shared<ConfigOptions>();
    add_config_options(*command, *options);
    command->footer(
        "For example: tessera moe explain modular_none --set params.pf=auto --set "
        "params.experts=auto");
    return {command, [options, &console] { return explain_run(*options, console); }};
}

}  // namespace tessera::cli
