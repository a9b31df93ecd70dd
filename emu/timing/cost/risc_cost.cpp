// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/cost/risc_cost.hpp"

#include <algorithm>

#include "emu/timing/cost/millicycles.hpp"
#include "tessera/instruction_counters.hpp"

namespace tessera::timing {
namespace {

/// Returns the time of an instruction in addition to its issue slot.
Cycles above_slot(Cycles instruction, const RiscTiming& risc) {
    return Cycles{std::max(instruction.value - risc.instruction.value, 0.0)};
}

/// Returns the time of one counted wait cycle. The compiler pass counts waits with an instruction
/// of `counted_as` cycles, of which one is its slot.
Millicycles wait_cycle(Cycles instruction, const RiscTiming& risc, std::int64_t counted_as) {
    const auto cycles_waited = static_cast<double>(counted_as - 1);
    return to_millicycles(Cycles{above_slot(instruction, risc).value / cycles_waited});
}

}  // namespace

RiscCost::RiscCost(const TimingSpec& timing)
    : RiscTimes(timing),
      load_wait(wait_cycle(timing.risc.load, timing.risc, kLoadLatency)),
      store_wait(wait_cycle(timing.risc.store, timing.risc, kStorePeriod)),
      product_wait(to_millicycles(above_slot(timing.risc.product, timing.risc))) {
}

Millicycles RiscCost::of_packet(const TraceEvent& event) const noexcept {
    // A call with state writes fewer command registers: 17.3 cycles in place of 24.6 a read on
    // Wormhole (noc_latencies.yaml). Multicasts have one style.
    const bool has_state = TransferDetail{event.detail}.has(TransferDetail::kWithState);
    if (event.kind == EventKind::NocRead) {
        // Consecutive reads of L1 are 35 cycles apart on Blackhole, with state 34, reads of
        // DRAM 22. The instructions do not explain the difference, and no source does.
        const bool is_dram = TransferArgument::unpack(event.argument).place.is_dram();
        return has_state ? read_issue_with_state : is_dram ? read_issue_dram : read_issue;
    }
    if (event.kind == EventKind::NocWrite) {
        return has_state ? write_issue_with_state : write_issue;
    }
    return multicast_issue;
}

Millicycles RiscCost::of_instructions(const TraceEvent& event) const noexcept {
    const auto argument = InstructionArgument::unpack(event.argument);
    const Millicycles all = event.count * instruction + argument.load_waits * load_wait +
                            argument.store_waits * store_wait + argument.products * product_wait +
                            argument.dividend_bits * dividend_bit;
    // Prices of calls were measured in loops around one call, so they include the loop's control.
    const Millicycles in_calls = argument.calls * loop_control;
    return all > in_calls ? all - in_calls : 0;
}

Millicycles RiscCost::of_cb_call(EventKind kind) const noexcept {
    switch (kind) {
        case EventKind::CbReserve:
            return cb_reserve;
        case EventKind::CbPush:
            return cb_push;
        case EventKind::CbWait:
            return cb_wait;
        default:
            return cb_pop;
    }
}

}  // namespace tessera::timing
