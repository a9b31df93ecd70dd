// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/cost/risc_cost.hpp"

#include <algorithm>

#include "emu/timing/cost/millicycles.hpp"
#include "tessera/instruction_counters.hpp"

namespace tessera::timing {
namespace {

/// What an act takes beyond its slot.
Cycles above_slot(Cycles act, const RiscTiming& risc) {
    return Cycles{std::max(act.value - risc.instruction.value, 0.0)};
}

/// What a cycle of waiting takes that was counted where an act takes `counted_as`.
Millicycles wait_cycle(Cycles act, const RiscTiming& risc, std::int64_t counted_as) {
    const auto cycles_waited = static_cast<double>(counted_as - 1);
    return to_millicycles(Cycles{above_slot(act, risc).value / cycles_waited});
}

}  // namespace

RiscCost::RiscCost(const TimingSpec& timing)
    : read(to_millicycles(timing.risc.read_issue)),
      read_dram(to_millicycles(timing.risc.read_issue_dram)),
      read_with_state(to_millicycles(timing.risc.read_issue_with_state)),
      write(to_millicycles(timing.risc.write_issue)),
      write_with_state(to_millicycles(timing.risc.write_issue_with_state)),
      set_state(to_millicycles(timing.risc.set_state)),
      page_address(to_millicycles(timing.risc.page_address)),
      multicast(to_millicycles(timing.risc.multicast_issue)),
      semaphore(to_millicycles(timing.risc.semaphore_issue)),
      barrier(to_millicycles(timing.risc.barrier_poll)),
      semaphore_poll(to_millicycles(timing.risc.semaphore_poll)),
      local_word(to_millicycles(timing.risc.local_word)),
      cb_reserve(to_millicycles(timing.risc.cb_reserve)),
      cb_push(to_millicycles(timing.risc.cb_push)),
      cb_wait(to_millicycles(timing.risc.cb_wait)),
      cb_pop(to_millicycles(timing.risc.cb_pop)),
      cb_compute(to_millicycles(timing.compute.cb_call)),
      zone(to_millicycles(timing.risc.zone_mark)),
      instruction(to_millicycles(timing.risc.instruction)),
      load_wait(wait_cycle(timing.risc.load, timing.risc, kLoadLatency)),
      store_wait(wait_cycle(timing.risc.store, timing.risc, kStorePeriod)),
      product_wait(to_millicycles(above_slot(timing.risc.product, timing.risc))),
      dividend_bit(to_millicycles(timing.risc.dividend_bit)),
      loop_control(to_millicycles(timing.risc.loop_control)),
      fabric(to_millicycles(timing.link.worker_issue)),
      mux_slot(to_millicycles(timing.link.mux_slot)),
      mux_credit(to_millicycles(timing.link.mux_credit)),
      fabric_open(to_millicycles(timing.link.open, timing.clock)),
      fabric_close(to_millicycles(timing.link.close, timing.clock)) {
}

Millicycles RiscCost::of_packet(const TraceEvent& event) const noexcept {
    // A call with state writes fewer command registers: 17.3 cycles in place of 24.6 a read on
    // Wormhole (noc_latencies.yaml). Multicasts have one style.
    const bool has_state = TransferDetail{event.detail}.has(TransferDetail::kWithState);
    if (event.kind == EventKind::NocRead) {
        // Reads of L1 follow on one another 35 cycles apart on Blackhole, with state 34, reads of
        // DRAM 22: that is no matter of instructions, but no source says of what.
        const bool is_dram = TransferArgument::unpack(event.argument).place.is_dram();
        return has_state ? read_with_state : is_dram ? read_dram : read;
    }
    if (event.kind == EventKind::NocWrite) {
        return has_state ? write_with_state : write;
    }
    return multicast;
}

Millicycles RiscCost::of_instructions(const TraceEvent& event) const noexcept {
    const auto argument = InstructionArgument::unpack(event.argument);
    const Millicycles all = event.count * instruction + argument.load_waits * load_wait +
                            argument.store_waits * store_wait + argument.products * product_wait +
                            argument.dividend_bits * dividend_bit;
    // Prices of calls come from loops that do nothing else: their control is not paid for twice.
    const Millicycles in_calls = argument.calls * loop_control;
    return all > in_calls ? all - in_calls : 0;
}

Millicycles RiscCost::of_cb_call(EventKind kind, TimelineThread thread) const noexcept {
    // Compute RISCs run ahead of their engines, whose instruction queues hide the call.
    if (thread >= TimelineThread::Unpack) {
        return cb_compute;
    }
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
