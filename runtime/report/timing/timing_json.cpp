// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/timing_json.hpp"

#include <nlohmann/json.hpp>

#include "runtime/report/run_json.hpp"
#include "runtime/report/timing/report_fields.hpp"
#include "runtime/report/timing/stage_figures.hpp"
#include "tessera/errors.hpp"

namespace tessera::report {
namespace {

constexpr const char* kSchema = "tessera.report";

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

Json moe_json(const ExpertLoad& moe) {
    Json experts = Json::array();
    for (const ExpertLoad::Expert& expert : moe.experts) {
        experts.push_back(
            {{"expert", expert.expert}, {"device", expert.device}, {"tokens", expert.tokens}});
    }
    return {{"experts", experts}, {"launches", moe.launches}};
}

Json stages_json(const TimingReport& report) {
    Json stages = Json::array();
    for (const StageFigures& stage : stage_figures(report)) {
        stages.push_back({{"name", stage.name},
                          {"time", stage.time},
                          {"link_bytes", stage.link_bytes},
                          {"launches", stage.launches}});
    }
    Json memory = Json::array();
    for (const RunStages::Memory& held : report.stages->memory) {
        memory.push_back({{"name", held.name}, {"bytes", held.bytes}});
    }
    return {{"tokens", report.stages->tokens},
            {"tokens_per_second", tokens_per_second(report)},
            {"stages", stages},
            {"memory", memory}};
}

Json sources_json(const std::vector<SourceText>& sources) {
    Json json = Json::object();
    for (const SourceText& source : sources) {
        json[source.file] = source.text;
    }
    return json;
}

/// Writes the focus; parts that it does not select are null.
Json focus_json(const std::optional<Focus>& focus) {
    if (!focus) {
        return nullptr;
    }
    const auto or_null = [](const auto& value) { return value ? Json(*value) : Json(nullptr); };
    const Json core =
        focus->core ? Json{{"x", focus->core->x}, {"y", focus->core->y}} : Json(nullptr);
    const bool has_window = focus->to != Focus{}.to;
    return {{"step", or_null(focus->step)},
            {"device", or_null(focus->device)},
            {"core", core},
            {"window", has_window ? Json{focus->from, focus->to} : Json(nullptr)}};
}

/// Describes report.json without its head, the record of the values and the configuration.
template <class Fields, Either<TimingReport> Report, Either<std::vector<RunShare>> Shares>
void describe(Fields& fields, Report& report, Shares& shares) {
    fields("name", report.run);
    fields.section("machine", [&](auto& machine) { describe_machine(machine, report); });
    fields.derived("words", words_json);
    fields("makespan", report.makespan);
    fields("bound", report.bound);
    fields("ensemble", report.ensemble);
    fields("peak", report.peak);
    fields.derived("achieved", [&] { return achieved(report); });
    fields.derived("bound_by", [&] { return bounds_of(report); });
    fields("assumed", report.assumed);
    fields("constants", report.constants);
    fields.derived("moe", [&] { return report.moe ? moe_json(*report.moe) : Json(nullptr); });
    fields.derived("stages", [&] { return report.stages ? stages_json(report) : Json(nullptr); });
    fields.derived("sources", [&] { return sources_json(report.sources); });
    fields.derived("focus", [&] { return focus_json(report.focus); });
    fields.list("launches", report.launches, [&](auto& row, auto& launch, std::size_t i) {
        describe(row, launch, row_at(shares, i), report.peak);
    });
}

void require_schema(const Json& json) {
    const std::string schema = json.at("schema");
    const int version = json.at("version");
    require(schema == kSchema && version == kReportSchemaVersion,
            "schema {} of version {}, allowed: {} of version {}", schema, version, kSchema,
            kReportSchemaVersion);
}

}  // namespace

Json to_json(const TimingReport& report, const config::Resolved& resolved, const RunRecord* run) {
    JsonWriter fields;
    fields("schema", kSchema);
    fields("version", kReportSchemaVersion);
    fields("time_unit", "millicycle");
    const std::vector<RunShare> shares = run_shares(report);
    describe(fields, report, shares);
    fields("run", run == nullptr ? Json(nullptr) : to_json(*run));
    fields("config", config::to_json(resolved));
    return fields.take();
}

ReadReport from_json(const Json& json, std::span<const std::string_view> chosen) {
    require_schema(json);
    ReadReport read;
    JsonReader fields(json, chosen);
    describe(fields, read.report, read.shares);
    return read;
}

}  // namespace tessera::report
