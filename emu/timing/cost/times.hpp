// SPDX-License-Identifier: Apache-2.0
// Timing constants in the units of a replay, made from the rows of tessera/timing/*.inc: times are
// integers of millicycles, sizes are integers of bytes. A member has the name of its key. Constants
// are converted once per replay, so that the replay itself only adds integers.
#pragma once

#include <cstdint>

#include "tessera/timeline.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::timing {

/// Type of a constant in a replay. Counts and shares keep theirs; a rate per second becomes one per
/// cycle (Pace makes integers of rates).
template <class Constant>
struct ReplayUnit {
    using Type = Constant;
};
template <>
struct ReplayUnit<Cycles> {
    using Type = Millicycles;
};
template <>
struct ReplayUnit<Seconds> {
    using Type = Millicycles;
};
template <>
struct ReplayUnit<Bytes> {
    using Type = std::uint64_t;
};
template <>
struct ReplayUnit<BytesPerSecond> {
    using Type = BytesPerCycle;
};

#define TESSERA_CONSTANT(kind, type, key, ...) ReplayUnit<type>::Type key{};

/// RiscTiming in the units of a replay; likewise the structs below for their sections.
struct RiscTimes {
    explicit RiscTimes(const TimingSpec& timing);
#include "tessera/timing/risc.inc"
};

struct NocTimes {
    explicit NocTimes(const TimingSpec& timing);
#include "tessera/timing/noc.inc"
};

struct DramTimes {
    explicit DramTimes(const TimingSpec& timing);
#include "tessera/timing/dram.inc"
};

struct ComputeTimes {
    explicit ComputeTimes(const TimingSpec& timing);
#include "tessera/timing/compute.inc"
};

struct LinkTimes {
    explicit LinkTimes(const TimingSpec& timing);
#include "tessera/timing/link.inc"
};

struct DispatchTimes {
    explicit DispatchTimes(const TimingSpec& timing);
#include "tessera/timing/dispatch.inc"
};

#undef TESSERA_CONSTANT

}  // namespace tessera::timing
