// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/run_json.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "runtime/report/core_figures.hpp"
#include "runtime/report/timing/launch_json.hpp"
#include "runtime/report/workload_text.hpp"

namespace tessera::report {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json check_json(const StepCheck& check) {
    return {{"elements", check.num_elements},
            {"pcc", number_or_null(check.pcc)},
            {"max_relative_error", number_or_null(check.max_relative_error)},
            {"passed", check.passed()},
            {"failure", check.failure}};
}

Json time_json(const std::optional<PredictedTime>& time) {
    return time ? predicted_json(*time) : Json(nullptr);
}

Json step_json(const StepRecord& step) {
    return {{"name", step.name},
            {"op", step.op},
            {"schedule", step.schedule},
            {"cores", step.num_cores},
            {"output_tiles", step.output_tiles},
            {"host_s", step.host_seconds},
            {"verify_s", step.verify_seconds},
            {"device_time", time_json(step.device_time)},
            {"check", step.check ? check_json(*step.check) : Json(nullptr)}};
}

Json core_json(const CoreActivity& core, double share) {
    return {{"device", core.device},
            {"x", core.core.x},
            {"y", core.core.y},
            {"tiles_computed", core.tiles_packed},
            {"tile_products", core.tiles_multiplied},
            {"bytes_read", core.bytes_read},
            {"bytes_written", core.bytes_written},
            {"bytes_linked", core.bytes_linked},
            {"share_of_busiest", share}};
}

Json cores_json(const RunRecord& record) {
    const std::vector<double> shares = shares_of_busiest(record.cores);
    Json each = Json::array();
    for (std::size_t i = 0; i < record.cores.size(); ++i) {
        each.push_back(core_json(record.cores[i], shares[i]));
    }
    Json spreads = Json::object();
    for (const char* figure : {"tiles_computed", "tile_products", "bytes_read", "bytes_written",
                               "bytes_linked", "share_of_busiest"}) {
        std::vector<double> values;
        for (const Json& core : each) {
            values.push_back(core.at(figure).get<double>());
        }
        const Spread spread = spread_of(std::move(values));
        spreads[figure] = {{"min", spread.min}, {"median", spread.median}, {"max", spread.max}};
    }
    return {{"spread", spreads}, {"each", each}};
}

Json mesh_json(const RunRecord& record) {
    const GridSize grid = record.arch.workers.compute;
    const MeshShape shape = record.run.mesh.shape;
    return {{"device", record.arch.name},
            {"shape", {shape.rows, shape.columns}},
            {"grid", {{"columns", grid.columns}, {"rows", grid.rows}}}};
}

Json host_json(const RunRecord& record) {
    return {{"threads", record.num_threads},  {"load_s", record.host.load},
            {"launch_s", record.host.launch}, {"verify_s", record.host.verify},
            {"timing_s", record.host.timing}, {"total_s", record.host.total}};
}

const char* verdict_of(const RunRecord& record) {
    if (!failed_steps(record).empty()) {
        return "fail";
    }
    const bool has_check = std::ranges::any_of(
        record.steps, [](const StepRecord& step) { return step.check.has_value(); });
    return has_check ? "pass" : "unchecked";
}

}  // namespace

Json to_json(const RunRecord& record) {
    Json steps = Json::array();
    for (const StepRecord& step : record.steps) {
        steps.push_back(step_json(step));
    }
    return {{"schema", "tessera.run"},
            {"version", kRunSchemaVersion},
            {"time_unit", "millicycle"},
            {"name", record.run.name},
            {"verdict", verdict_of(record)},
            {"failed", failed_steps(record)},
            {"maths", record.maths == Maths::On},
            {"makespan", time_json(record.makespan)},
            {"inputs", record.inputs.empty() ? Json(nullptr) : Json(record.inputs)},
            {"mesh", mesh_json(record)},
            {"workload", workload_json(record.pipeline)},
            {"host", host_json(record)},
            {"steps", steps},
            {"cores", cores_json(record)},
            {"config", config::to_json(record.resolved)}};
}

}  // namespace tessera::report
