// SPDX-License-Identifier: Apache-2.0
// Keys of `timing:` in configs/arch/*.yaml, made from the rows of tessera/timing/*.inc
// (tessera/timing_spec.hpp explains their columns).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "emu/base/fields/field.hpp"
#include "runtime/config/field_table.hpp"
#include "tessera/timeline.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::config {

/// Time that no activity or resource alone identifies. A latency of the NoC depends on what the
/// thread waits for. One common list for all three made the report of a run with reads only state
/// that 76 % of it depended on the assumed latency of atomics.
enum class Phase : std::uint8_t {
    ReadLatency,     ///< ResourceKind::NocLatency of a read
    WriteLatency,    ///< the same of a write
    WordLatency,     ///< the same of a word, an atomic or a multicast
    BetweenPrograms  ///< no activity of a thread: host and dispatch cores work
};

/// Set of times that a constant is part of.
using Prices = std::uint64_t;

[[nodiscard]] constexpr Prices bit_of(Activity activity) noexcept {
    return Prices{1} << static_cast<unsigned>(activity);
}
[[nodiscard]] constexpr Prices bit_of(ResourceKind kind) noexcept {
    return Prices{1} << (kNumActivities + static_cast<unsigned>(kind));
}
[[nodiscard]] constexpr Prices bit_of(Phase phase) noexcept {
    return Prices{1} << (kNumActivities + kNumResourceKinds + static_cast<unsigned>(phase));
}
static_assert(kNumActivities + kNumResourceKinds + 4 <= 64, "Prices needs a bit for each time");

/// Names used in the column `prices` of the rows.
namespace timing_rows {

using enum Activity;
using enum ResourceKind;
using enum Phase;

template <class... Times>
[[nodiscard]] constexpr Prices prices(Times... times) noexcept {
    return (Prices{0} | ... | bit_of(times));
}

}  // namespace timing_rows

/// Row of a timing constant. A row cannot be written without its bound and what it prices.
struct TimingRow {
    Field field;
    Bound bound{};
    Prices prices{};
};

/// Returns the field of a constant whose range is `limits`.
template <auto Member>
[[nodiscard]] constexpr Field constant(std::string_view key, std::string_view prose, Limits limits,
                                       Shortens shortens) {
    Field row = fact<Member>(key, prose, limits);
    row.shortens = shortens;
    return row;
}

/// Limits of a cost. Times are counted in thousandths of a cycle, so that sums of longer ones would
/// overflow; 10^9 cycles are about a second of the chip.
template <class Value>
inline constexpr Limits kCostLimits{0, std::is_same_v<Value, Seconds> ? 1.0 : 1e9};
/// Limits of a rate: the longest packet takes at most a second, for the same reason.
template <class Value>
inline constexpr Limits kRateLimits{std::is_same_v<Value, BytesPerSecond> ? 1e5 : 1e-3, 1e15};

// Kinds of the rows.
template <auto Member>
[[nodiscard]] constexpr Field cost(std::string_view key, std::string_view prose) {
    return constant<Member>(key, prose, kCostLimits<TypeOf<Member>>, Shortens::Less);
}
template <auto Member>
[[nodiscard]] constexpr Field share(std::string_view key, std::string_view prose) {
    return constant<Member>(key, prose, {0, 1}, Shortens::Less);
}
template <auto Member>
[[nodiscard]] constexpr Field rate(std::string_view key, std::string_view prose) {
    return constant<Member>(key, prose, kRateLimits<TypeOf<Member>>, Shortens::More);
}
template <auto Member>
[[nodiscard]] constexpr Field amount(std::string_view key, std::string_view prose) {
    return constant<Member>(key, prose, {1, 1e9}, Shortens::More);
}
/// Returns the buffer of a router. A packet that enters a ring must leave one slot free, so one is
/// too few.
template <auto Member>
[[nodiscard]] constexpr Field ring_slots(std::string_view key, std::string_view prose) {
    return constant<Member>(key, prose, {2, 1024}, Shortens::More);
}
template <auto Member>
[[nodiscard]] constexpr Field one_or_two(std::string_view key, std::string_view prose) {
    return constant<Member>(key, prose, {1, 2}, Shortens::More);
}

/// Returns the fields of a table, for binding and documentation.
template <class Row, std::size_t kSize>
[[nodiscard]] constexpr std::array<Field, kSize> fields_of(const std::array<Row, kSize>& rows) {
    std::array<Field, kSize> fields{};
    for (std::size_t i = 0; i < kSize; ++i) {
        fields[i] = rows[i].field;
    }
    return fields;
}

namespace timing_rows {

#define TESSERA_CONSTANT(kind, type, key, bound, prices, description) \
    TimingRow{kind<&Struct::key>(#key, description), Bound::bound, prices},

struct Risc {
    using Struct = RiscTiming;
    static constexpr std::array kRows{
#include "tessera/timing/risc.inc"
    };
    static constexpr auto kFields = fields_of(kRows);
};

struct Noc {
    using Struct = NocTiming;
    static constexpr std::array kRows{
#include "tessera/timing/noc.inc"
    };
    static constexpr auto kFields = fields_of(kRows);
};

struct DramBanks {
    using Struct = DramTiming;
    static constexpr std::array kRows{
#include "tessera/timing/dram.inc"
    };
    static constexpr auto kFields = fields_of(kRows);
};

struct Compute {
    using Struct = ComputeTiming;
    static constexpr std::array kRows{
#include "tessera/timing/compute.inc"
    };
    static constexpr auto kFields = fields_of(kRows);
};

/// Keys are names of functions, so the rows of the file are one row here.
struct SfpuFunctions {
    using Function = std::pair<std::string, Cycles>;
    static constexpr std::string_view kProse =
        "tile by function; with _approx in approximate modes, with _fp32 on 32-bit DST";
    static constexpr std::array kFields{cost<&Function::second>("<function>", kProse)};
};

struct VectorUnit {
    using Struct = SfpuTiming;
    static constexpr std::array kRows{
#include "tessera/timing/sfpu.inc"
        TimingRow{fact_map<&SfpuTiming::functions>("functions", SfpuFunctions::kFields,
                                                   SfpuFunctions::kProse),
                  Bound::Engines, prices(Sfpu)},
    };
    static constexpr auto kFields = fields_of(kRows);
};

struct Link {
    using Struct = LinkTiming;
    static constexpr std::array kRows{
#include "tessera/timing/link.inc"
    };
    static constexpr auto kFields = fields_of(kRows);
};

struct Dispatch {
    using Struct = DispatchTiming;
    static constexpr std::array kRows{
#include "tessera/timing/dispatch.inc"
    };
    static constexpr auto kFields = fields_of(kRows);
};

struct ModelError {
    using Struct = ModelErrorSpec;
    static constexpr std::array kRows{
#include "tessera/timing/model_error.inc"
    };
    static constexpr auto kFields = fields_of(kRows);
};

#undef TESSERA_CONSTANT

}  // namespace timing_rows

/// Key of `timing:` with the rows below it.
struct TimingSection {
    Field field;
    std::span<const TimingRow> rows;
};

template <auto Member, class Rows>
[[nodiscard]] constexpr TimingSection timing_section(std::string_view key, std::string_view prose) {
    return {section<Member>(key, Rows::kFields, prose), Rows::kRows};
}

inline constexpr std::array kTimingSections{
    timing_section<&TimingSpec::risc, timing_rows::Risc>("risc", "data-movement RISCs"),
    timing_section<&TimingSpec::noc, timing_rows::Noc>("noc", "networks on chip"),
    timing_section<&TimingSpec::dram, timing_rows::DramBanks>("dram", "memory of a device"),
    timing_section<&TimingSpec::compute, timing_rows::Compute>("compute", "unpack, math and pack"),
    timing_section<&TimingSpec::sfpu, timing_rows::VectorUnit>("sfpu", "vector unit"),
    timing_section<&TimingSpec::link, timing_rows::Link>("link", "links between devices"),
    timing_section<&TimingSpec::dispatch, timing_rows::Dispatch>("dispatch", "start of programs"),
    timing_section<&TimingSpec::model_error, timing_rows::ModelError>(
        "model_error", "error of the model, by mechanism"),
};
inline constexpr auto kTimingFields = fields_of(kTimingSections);

}  // namespace tessera::config
