// SPDX-License-Identifier: Apache-2.0
// Visits the timing constants of a device, each at its stated value and at both ends of its range.
#pragma once

#include <string>

#include "runtime/config/field_table.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::config {

/// One constant; its row of the table reads and writes the three objects.
struct TimingConstant {
    std::string key;  ///< "timing.noc.hop"
    const Field* field = nullptr;
    void* low = nullptr;
    void* expected = nullptr;
    void* high = nullptr;
};

/// Calls `visit` with each constant, in the order of the table. Functions of the vector unit have
/// their own order, which is the same in all three specifications.
template <class Visit>
class TimingWalk {
public:
    TimingWalk(TimingBounds& bounds, Visit visit) : bounds_(bounds), visit_(visit) {
        walk(timing_fields(), {"timing", nullptr, &bounds_.low, &bounds_.expected, &bounds_.high});
    }

private:
    void walk(std::span<const Field> fields, const TimingConstant& section) {
        for (const Field& field : fields) {
            TimingConstant at = section;
            at.key += "." + std::string(field.key);
            at.field = &field;
            if (field.kind == FieldKind::Section) {
                walk(field.fields, {at.key, nullptr, field.open(at.low), field.open(at.expected),
                                    field.open(at.high)});
            } else if (field.kind == FieldKind::FactMap) {
                walk_functions(at);
            } else {
                visit_(at);
            }
        }
    }

    // The only map of the section: prices of functions by name.
    void walk_functions(const TimingConstant& map) {
        for (std::size_t i = 0; i < bounds_.expected.sfpu.functions.size(); ++i) {
            auto& stated = bounds_.expected.sfpu.functions[i];
            visit_(TimingConstant{map.key + "." + stated.first, &map.field->fields.front(),
                                  &bounds_.low.sfpu.functions.at(i), &stated,
                                  &bounds_.high.sfpu.functions.at(i)});
        }
    }

    TimingBounds& bounds_;
    Visit visit_;
};

}  // namespace tessera::config
