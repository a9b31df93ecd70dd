// SPDX-License-Identifier: Apache-2.0
// The structs of a run's record, each described once: what `tessera run --json` holds of it.
#pragma once

#include "runtime/report/run_record.hpp"
#include "runtime/report/timing/report_fields.hpp"

namespace tessera::report {

template <class Fields, Either<StepCheck> Check>
void describe(Fields& fields, Check& check) {
    fields("elements", check.num_elements);
    fields("pcc", check.pcc);
    fields("max_relative_error", check.max_relative_error);
    fields.derived("passed", [&] { return check.passed(); });
    fields("failure", check.failure);
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
    fields("check", step.check);
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

}  // namespace tessera::report
