// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/run_moe_v2.hpp"

#include <chrono>
#include <utility>

#include "ops/moe_v2/moe_v2.hpp"
#include "runtime/pipeline/make_session.hpp"
#include "runtime/pipeline/step_outputs.hpp"
#include "runtime/pipeline/step_verifier.hpp"
#include "runtime/report/core_figures.hpp"

namespace tessera::run {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

report::StepRecord record_of(const ops::moe_v2::Step& step, const StepVerifier& verifier) {
    const auto start = Clock::now();
    auto check = verifier.check(step);
    return {.name = std::string(step.plan->name),
            .op = std::string(step.plan->op->name),
            .schedule = step.plan->schedule,
            .num_cores = step.num_cores,
            .output_tiles = step.output_tiles,
            .host_seconds = step.launch.host_seconds,
            .verify_seconds = seconds_since(start),
            .check = std::move(check)};
}

}  // namespace

report::RunRecord run_moe_v2(const config::LoadedRun& loaded, const RunModes& modes,
                             const MoeInputs& inputs, SafetensorsWriter* outputs,
                             const OnStep& on_step) {
    EmulatedSession session = make_session(loaded, modes);
    RunSpec checked = loaded.run;
    checked.verify = verify_of(loaded.run, modes);
    MoeInputs used = inputs;
    if (modes.maths == Maths::Off) {
        used.make_weights = nullptr;
    }
    const StepVerifier verifier(checked, used, session);
    const StepOutputs files(loaded.run, session, outputs);
    report::RunRecord record{.run = loaded.run,
                             .arch = loaded.arch,
                             .resolved = loaded.resolved,
                             .maths = modes.maths,
                             .num_threads = session.num_threads()};
    std::vector<CoreActivity> activities;

    ops::moe_v2::Observer observer;
    observer.before = [&](const ops::moe_v2::StepPlan& plan, std::uint32_t number,
                          std::uint32_t num_steps) {
        on_step({number, num_steps, std::string(plan.name)});
    };
    observer.after = [&](const ops::moe_v2::Step& step) {
        record.steps.push_back(record_of(step, verifier));
        const auto& cores = step.launch.cores;
        activities.insert(activities.end(), cores.begin(), cores.end());
        files.write(step);
    };
    (void)ops::moe_v2::run(session, used, loaded.run.ops, observer);

    record.cores = report::sum_by_core(activities, loaded.run.mesh.shape.num_devices(),
                                       loaded.arch.workers.compute);
    for (const report::StepRecord& step : record.steps) {
        record.host.launch += step.host_seconds;
        record.host.verify += step.verify_seconds;
    }
    return record;
}

}  // namespace tessera::run
