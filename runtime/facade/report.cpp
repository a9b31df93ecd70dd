// SPDX-License-Identifier: Apache-2.0
#include "tessera/report.hpp"

#include <nlohmann/json.hpp>

#include "runtime/facade/machine_model.hpp"
#include "runtime/kernels/kernel_toolchain.hpp"
#include "runtime/report/timing/assumed_shares.hpp"
#include "runtime/report/timing/report_files.hpp"
#include "runtime/report/timing/source_texts.hpp"
#include "runtime/report/timing/timing_json.hpp"
#include "runtime/report/timing/timing_text.hpp"
#include "runtime/study/run_timer.hpp"
#include "tessera/errors.hpp"
#include "tessera/machine.hpp"

namespace tessera {

struct ReportModel {
    Machine machine;
    report::TimingReport timing;

    [[nodiscard]] const config::Resolved& resolved() const {
        return machine.model().device.resolved;
    }
};

namespace {

report::TimingReport timed(const Trace& trace, const Machine& machine, const std::string& name) {
    const MeshShape& mesh = machine.mesh().shape;
    require(trace.mesh.shape == mesh, "trace: recorded on {} × {} devices, the machine has {} × {}",
            trace.mesh.shape.rows, trace.mesh.shape.columns, mesh.rows, mesh.columns);
    timed_run::TimerOptions options;
    options.budget.num_launches = trace.launches.size();
    timed_run::RunTimer timer(name, {machine.arch(), machine.timing(), machine.mesh()}, options);
    for (const LaunchTrace& launch : trace.launches) {
        timer.add(trace, launch);
    }
    report::TimingReport report = timer.finish();
    report.assumed = report::assumed_shares(report, machine.model().device.resolved);
    report.sources = report::source_texts(report, kernel_file);
    return report;
}

}  // namespace

Report::Report(const Trace& trace, const Machine& machine, const std::string& name)
    : model_(
          std::make_shared<const ReportModel>(ReportModel{machine, timed(trace, machine, name)})) {
}

PredictedTime Report::makespan() const noexcept {
    return model_->timing.makespan;
}

std::string Report::text() const {
    return timing_text(model_->timing, {});
}

std::string Report::json() const {
    return report::to_json(model_->timing, model_->resolved(), nullptr).dump();
}

void Report::write(const std::filesystem::path& folder) const {
    report::write_report(folder, model_->timing, model_->resolved(), nullptr);
}

}  // namespace tessera
