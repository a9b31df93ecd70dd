// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/timing_json.hpp"

#include <nlohmann/json.hpp>

#include "runtime/report/run_json.hpp"
#include "runtime/report/timing/activity_words.hpp"
#include "runtime/report/timing/launch_json.hpp"
#include "runtime/report/timing/path_parts.hpp"
#include "runtime/report/timing/timing_figures.hpp"
#include "tessera/mesh_links.hpp"

namespace tessera::report {
namespace {

using Json = nlohmann::ordered_json;

const char* class_of(Activity activity) {
    return is_busy(activity) ? "busy" : is_wait(activity) ? "wait" : "idle";
}

Json words_json() {
    Json activities = Json::array();
    for (std::size_t i = 0; i < kNumActivities; ++i) {
        const auto activity = static_cast<Activity>(i);
        activities.push_back({{"key", key_of(activity)},
                              {"name", label_of(activity)},
                              {"class", class_of(activity)}});
    }
    Json resources = Json::array();
    for (std::size_t i = 0; i < kNumResourceKinds; ++i) {
        const auto kind = static_cast<ResourceKind>(i);
        resources.push_back({{"key", key_of(kind)}, {"name", label_of(kind)}});
    }
    Json threads = Json::array();
    for (std::size_t i = 0; i < kNumTimelineThreads; ++i) {
        threads.push_back(label_of(static_cast<TimelineThread>(i)));
    }
    return {{"activities", activities}, {"resources", resources}, {"threads", threads}};
}

Json machine_json(const TimingReport& report) {
    const ArchSpec& arch = report.arch;
    const GridSize grid = arch.workers.compute;
    Json banks = Json::array();
    for (const DramEndpoint& bank : arch.dram.endpoints) {
        banks.push_back(
            {{"channel", bank.channel}, {"x", bank.physical.x}, {"y", bank.physical.y}});
    }
    const MeshShape shape = report.mesh.shape;
    return {{"name", arch.name},
            {"clock_hz", report.clock.value},
            {"grid", {{"columns", grid.columns}, {"rows", grid.rows}}},
            {"noc_grid", {{"columns", arch.noc.grid.columns}, {"rows", arch.noc.grid.rows}}},
            {"noc_columns", arch.workers.noc_columns},
            {"noc_rows", arch.workers.noc_rows},
            {"dram_banks", banks},
            {"l1_bytes", arch.l1.size.value},
            {"l1_reserved_bytes", arch.l1.reserved.value},
            {"mesh",
             {{"rows", shape.rows},
              {"columns", shape.columns},
              {"topology", name_of(report.mesh.topology)}}}};
}

Json peak_json(const PeakRates& peak) {
    return {{"flops_per_cycle", peak.flops_per_cycle},
            {"dram_bytes_per_cycle", peak.dram_bytes_per_cycle},
            {"noc_bytes_per_cycle", peak.noc_bytes_per_cycle},
            {"link_bytes_per_cycle", peak.link_bytes_per_cycle},
            {"noc_link_rate", peak.noc_link_rate},
            {"mesh_link_rate", peak.mesh_link_rate},
            {"dram_channel_rate", peak.dram_channel_rate}};
}

Json assumed_json(const TimingReport& report) {
    Json rows = Json::array();
    for (const AssumedShare& part : report.assumed) {
        rows.push_back({{"name", part.name}, {"time", part.time}, {"constants", part.constants}});
    }
    return rows;
}

Json moe_json(const ExpertLoad& moe) {
    Json experts = Json::array();
    for (const ExpertLoad::Expert& expert : moe.experts) {
        experts.push_back(
            {{"expert", expert.expert}, {"device", expert.device}, {"tokens", expert.tokens}});
    }
    return {{"experts", experts}, {"launches", moe.launches}};
}

}  // namespace

Json to_json(const TimingReport& report, const config::Resolved& resolved, const RunRecord* run) {
    Json launches = Json::array();
    const std::vector<LaunchWindow> windows = launch_windows(report);
    for (std::size_t i = 0; i < windows.size(); ++i) {
        launches.push_back(launch_json(report.launches[i], report.peak, windows[i]));
    }
    return {{"schema", "tessera.report"},
            {"version", kReportSchemaVersion},
            {"time_unit", "millicycle"},
            {"name", report.run},
            {"machine", machine_json(report)},
            {"words", words_json()},
            {"makespan", predicted_json(report.makespan)},
            {"peak", peak_json(report.peak)},
            {"achieved", achieved_json(achieved(report))},
            {"bound_by", bounds_json(bounds_of(report))},
            {"assumed", assumed_json(report)},
            {"moe", report.moe ? moe_json(*report.moe) : Json(nullptr)},
            {"launches", launches},
            {"run", run == nullptr ? Json(nullptr) : to_json(*run)},
            {"config", config::to_json(resolved)}};
}

}  // namespace tessera::report
