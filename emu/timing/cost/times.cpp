// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/cost/times.hpp"

#include "emu/timing/cost/millicycles.hpp"

namespace tessera::timing {
namespace {

Millicycles in_replay(Cycles time, Hertz /*clock*/) {
    return to_millicycles(time);
}
Millicycles in_replay(Seconds time, Hertz clock) {
    return to_millicycles(time, clock);
}
std::uint64_t in_replay(Bytes size, Hertz /*clock*/) {
    return size.value;
}
BytesPerCycle in_replay(BytesPerSecond rate, Hertz clock) {
    return BytesPerCycle{rate.value / clock.value};
}
BytesPerCycle in_replay(BytesPerCycle rate, Hertz /*clock*/) {
    return rate;
}
std::uint32_t in_replay(std::uint32_t count, Hertz /*clock*/) {
    return count;
}
double in_replay(double share, Hertz /*clock*/) {
    return share;
}

}  // namespace

#define TESSERA_CONSTANT(kind, type, key, ...) key = in_replay(section.key, timing.clock);

RiscTimes::RiscTimes(const TimingSpec& timing) {
    const RiscTiming& section = timing.risc;
#include "tessera/timing/risc.inc"
}

NocTimes::NocTimes(const TimingSpec& timing) {
    const NocTiming& section = timing.noc;
#include "tessera/timing/noc.inc"
}

DramTimes::DramTimes(const TimingSpec& timing) {
    const DramTiming& section = timing.dram;
#include "tessera/timing/dram.inc"
}

ComputeTimes::ComputeTimes(const TimingSpec& timing) {
    const ComputeTiming& section = timing.compute;
#include "tessera/timing/compute.inc"
}

LinkTimes::LinkTimes(const TimingSpec& timing) {
    const LinkTiming& section = timing.link;
#include "tessera/timing/link.inc"
}

DispatchTimes::DispatchTimes(const TimingSpec& timing) {
    const DispatchTiming& section = timing.dispatch;
#include "tessera/timing/dispatch.inc"
}

#undef TESSERA_CONSTANT

}  // namespace tessera::timing
