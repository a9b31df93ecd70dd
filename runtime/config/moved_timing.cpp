// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/moved_timing.hpp"

#include <cstddef>

#include "runtime/config/field_table.hpp"
#include "runtime/config/read.hpp"
#include "tessera/errors.hpp"

namespace tessera::config {
namespace {

/// The same struct within the three specifications.
struct Place {
    void* low = nullptr;
    void* expected = nullptr;
    void* high = nullptr;
};

class OneAtATime {
public:
    explicit OneAtATime(const TimingBounds& bounds) : bounds_(bounds) {}

    std::vector<MovedTiming> move() {
        walk(timing_fields(), {&bounds_.low, &bounds_.expected, &bounds_.high}, "timing");
        return std::move(moved_);
    }

private:
    void walk(std::span<const Field> fields, const Place& place, const std::string& path) {
        for (const Field& field : fields) {
            const std::string key = path + "." + std::string(field.key);
            if (field.kind == FieldKind::Section) {
                walk(field.fields,
                     {field.open(place.low), field.open(place.expected), field.open(place.high)},
                     key);
            } else if (field.kind == FieldKind::FactMap) {
                move_functions(key);
            } else {
                move_fact(field, place, key);
            }
        }
    }

    void move_fact(const Field& field, const Place& place, const std::string& key) {
        const std::string stated = field.show(place.expected);
        const auto offset = static_cast<std::byte*>(place.expected) -
                            reinterpret_cast<std::byte*>(&bounds_.expected);
        for (const RangeEnd end : {RangeEnd::Short, RangeEnd::Long}) {
            const std::string value = field.show(end == RangeEnd::Short ? place.low : place.high);
            if (value == stated) {
                continue;
            }
            moved_.push_back({key, end, value, bounds_.expected});
            void* object = reinterpret_cast<std::byte*>(&moved_.back().timing) + offset;
            const auto mistake = field.set(read_text_at(value, Origin{}), object);
            ensure(!mistake, "{} shows as '{}', which it does not take", key, value);
        }
    }

    // The one map of the section: functions of the vector unit, in the same order in all three.
    void move_functions(const std::string& key) {
        const auto& stated = bounds_.expected.sfpu.functions;
        for (std::size_t i = 0; i < stated.size(); ++i) {
            for (const RangeEnd end : {RangeEnd::Short, RangeEnd::Long}) {
                const TimingSpec& moved = end == RangeEnd::Short ? bounds_.low : bounds_.high;
                const auto& [name, cycles] = moved.sfpu.functions.at(i);
                if (cycles != stated[i].second) {
                    moved_.push_back(
                        {key + "." + name, end, Value<Cycles>::show(cycles), bounds_.expected});
                    moved_.back().timing.sfpu.functions[i].second = cycles;
                }
            }
        }
    }

    TimingBounds bounds_;
    std::vector<MovedTiming> moved_;
};

}  // namespace

std::vector<MovedTiming> move_one_at_a_time(const TimingBounds& bounds) {
    return OneAtATime(bounds).move();
}

}  // namespace tessera::config
