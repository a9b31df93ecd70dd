// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/figures_json.hpp"

#include "runtime/report/timing/report_fields.hpp"

namespace tessera::compare {

using report::Either;
using report::Json;

namespace {

struct TimesCode {
    static Json write(const TimeByName& times) { return times; }
    static void read(const Json& json, TimeByName& times) { times = json.get<TimeByName>(); }
};

// One description both writes and reads, so that the keys of both are the same.
template <class Fields, Either<PathFigures> Path>
void describe_path(Fields& fields, Path& path) {
    fields.template coded<TimesCode>("activities", path.activities);
    fields.template coded<TimesCode>("lines", path.lines);
    fields.template coded<TimesCode>("resources", path.resources);
    fields.template coded<TimesCode>("bounds", path.bounds);
}

/// Describes the path of the run or of a step.
template <class Fields, class Figures>
void describe_figures(Fields& fields, Figures& figures) {
    fields("name", figures.name);
    fields("time", figures.time);
    fields("bound", figures.bound);
    fields("ensemble", figures.ensemble);
    fields.section("path", [&](auto& path) { describe_path(path, figures.path); });
}

template <class Fields, Either<RunFigures> Run>
void describe_run(Fields& fields, Run& run) {
    describe_figures(fields, run);
    fields("arch", run.arch);
    fields("clock_hz", run.clock.value);
    fields.list("steps", run.steps, [](auto& row, auto& step, std::size_t) {
        describe_figures(row, step);
        // Steps overlap: of_run is the part of the run's path, the time is the step's own.
        row("of_run", step.of_run);
    });
}

}  // namespace

Json to_json(const RunFigures& run) {
    report::JsonWriter fields;
    describe_run(fields, run);
    return fields.take();
}

RunFigures figures_from_json(const Json& json) {
    RunFigures run;
    report::JsonReader fields(json);
    describe_run(fields, run);
    return run;
}

}  // namespace tessera::compare
