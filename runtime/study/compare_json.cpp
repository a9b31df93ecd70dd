// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/describe.hpp"
#include "runtime/study/compare.hpp"

namespace tessera::compare {

using report::Either;
using report::Json;

template <class Fields, Either<Nanoseconds> Time>
void describe(Fields& fields, Time& time) {
    fields("low", time.low);
    fields("expected", time.expected);
    fields("high", time.high);
}

template <class Fields, Either<Contribution> Part>
void describe(Fields& fields, Part& part) {
    fields("name", part.name);
    fields("a", part.a);
    fields("b", part.b);
}

template <class Fields, Either<ConstantEnd> End>
void describe(Fields& fields, End& end) {
    fields("key", end.key);
    fields("value", end.value);
    fields("difference", end.difference);
}

template <class Fields, Either<StepComparison> Step>
void describe(Fields& fields, Step& step) {
    fields("name", step.name);
    fields("a", step.a);
    fields("b", step.b);
    fields("a_over_bound", step.a_over_bound);
    fields("b_over_bound", step.b_over_bound);
    fields("difference", step.difference);
    fields("share", step.verdict.share);
    // Derived fields are for readers of the file; a reader of the program skips them.
    fields.derived("verdict", [&] { return name_of(step.verdict.grade); });
    fields.derived("verdict_text", [&] { return text_of(step.verdict); });
    fields("activities", step.activities);
    fields("lines", step.lines);
    fields("resources", step.resources);
    fields("flips", step.flips);
}

Json to_json(const Comparison& comparison) {
    report::JsonWriter fields;
    fields("schema", "tessera.compare");
    fields("version", kCompareSchemaVersion);
    fields("a", comparison.a);
    fields("b", comparison.b);
    fields("pairs", comparison.run.verdict.num_pairs);
    fields("constants_moved", comparison.num_constants);
    fields("run", comparison.run);
    fields("steps", comparison.steps);
    return fields.take();
}

}  // namespace tessera::compare
