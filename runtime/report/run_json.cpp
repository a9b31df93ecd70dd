// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/run_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runtime/report/core_figures.hpp"
#include "runtime/report/timing/report_fields.hpp"
#include "runtime/report/workload_text.hpp"

namespace tessera::report {

template <class Fields, Either<StepCheck> Check>
void describe(Fields& fields, Check& check) {
    fields("elements", check.num_elements);
    fields("pcc", check.pcc);
    fields("max_relative_error", check.max_relative_error);
    fields.derived("passed", [&] { return check.passed(); });
    fields("failure", check.failure);
    fields("doubt", check.doubt);
}

template <class Fields, Either<NanNote> Note>
void describe(Fields& fields, Note& note) {
    fields("tensor", note.tensor);
    fields("step", note.step);
    fields("count", note.count);
    fields("elements", note.num_elements);
    fields("first", note.first);
}

template <class Fields, Either<Finding> Tolerated>
void describe(Fields& fields, Tolerated& finding) {
    fields("kind", finding.kind);
    fields("text", finding.text);
    fields("kernel", finding.kernel);
    fields("file", finding.file);
    fields("line", finding.line);
    fields("detail", finding.detail);
    fields("cores", finding.num_cores);
    fields("calls", finding.num_calls);
}

template <class Fields, Either<StepRecord> Step>
void describe(Fields& fields, Step& step) {
    fields("name", step.name);
    fields("op", step.op);
    fields("schedule", step.schedule);
    fields("cores", step.num_cores);
    fields("output_tiles", step.output_tiles);
    fields("host_s", step.host_seconds);
    fields("verify_s", step.verify_seconds);
    fields("device_time", step.device_time);
    fields("bound", step.bound);
    fields.derived("over_bound", [&] {
        return step.device_time ? over_bound(step.device_time->expected, step.bound) : 0.0;
    });
    fields("check", step.check);
}

template <class Fields, Either<WorkspaceRecord> Workspace>
void describe(Fields& fields, Workspace& workspace) {
    fields("name", workspace.name);
    fields("bytes", workspace.bytes);
    fields("bytes_apart", workspace.bytes_apart);
    fields("tensors", workspace.tensors);
}

template <class Fields, Either<CoreActivity> Activity>
void describe(Fields& fields, Activity& activity) {
    describe_place(fields, activity.device, activity.core);
    fields("tiles_computed", activity.tiles_packed);
    fields("tile_products", activity.tiles_multiplied);
    fields("bytes_read", activity.bytes_read);
    fields("bytes_written", activity.bytes_written);
    fields("bytes_linked", activity.bytes_linked);
}

template <class Fields, Either<HostTimes> Times>
void describe(Fields& fields, Times& times) {
    fields("load_s", times.load);
    fields("launch_s", times.launch);
    fields("verify_s", times.verify);
    fields("timing_s", times.timing);
    fields("total_s", times.total);
}

namespace {

Json cores_json(const RunRecord& record) {
    const std::vector<double> shares = shares_of_busiest(record.cores);
    Json each = Json::array();
    for (std::size_t i = 0; i < record.cores.size(); ++i) {
        JsonWriter fields;
        describe(fields, record.cores[i]);
        fields("share_of_busiest", shares[i]);
        each.push_back(fields.take());
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

const char* verdict_of(const RunRecord& record) {
    if (record.error) {
        return "error";
    }
    if (!failed_steps(record).empty()) {
        return "fail";
    }
    const bool has_check = std::ranges::any_of(
        record.steps, [](const StepRecord& step) { return step.check.has_value(); });
    return has_check ? "pass" : "unchecked";
}

}  // namespace

Json to_json(const RunRecord& record) {
    JsonWriter fields;
    fields("schema", "tessera.run");
    fields("version", kRunSchemaVersion);
    fields("time_unit", "millicycle");
    fields("name", record.run.name);
    fields("verdict", verdict_of(record));
    fields("failed", failed_steps(record));
    fields("nan", record.nans);
    fields("findings", record.findings);
    fields("error", record.error ? to_json(*record.error) : Json(nullptr));
    fields("maths", record.maths == Maths::On);
    fields("drawn", record.drawn);
    fields("makespan", record.makespan);
    fields("bound", record.bound);
    fields.derived("over_bound", [&] {
        return record.makespan ? over_bound(record.makespan->expected, record.bound) : 0.0;
    });
    fields("inputs", record.inputs.empty() ? Json(nullptr) : Json(record.inputs));
    fields("unread_inputs", record.unread_inputs);
    fields("unread_sets", record.unread_sets);
    fields.section("mesh", [&](JsonWriter& mesh) {
        const MeshShape shape = record.run.mesh.shape;
        mesh("device", record.arch.name);
        mesh("shape", std::vector{shape.rows, shape.columns});
        mesh("grid", record.arch.workers.compute);
    });
    fields("workload", workload_json(record.pipeline));
    fields.section("host", [&](JsonWriter& host) {
        host("threads", record.num_threads);
        describe(host, record.host);
    });
    fields("steps", record.steps);
    fields("workspaces", record.workspaces);
    fields("cores", cores_json(record));
    fields("config", config::to_json(record.resolved));
    return fields.take();
}

}  // namespace tessera::report
