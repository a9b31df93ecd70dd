// SPDX-License-Identifier: Apache-2.0
// Accesses of DRAM banks, reads and writes alike: each takes its bank and the bank's channel, whose
// bus turns where the access before went the other way (dram.turnaround).
#include "emu/timing/network/transport_state.hpp"

namespace tessera::timing {

std::optional<Millicycles> Transport::State::start_at_bank(std::uint32_t number,
                                                           NocPaths::Access access,
                                                           std::uint32_t bytes, Millicycles now,
                                                           EventQueue& queue) {
    const Request& request = transfers[number].request;
    const std::uint32_t bank = request.place.bank();
    const std::uint32_t channel = arch.dram.endpoints[bank].channel;
    NocPaths::Access& last =
        last_accesses[std::size_t{request.device} * arch.dram.num_banks + channel];
    BankPath access_path = paths.bank(request.device, bank, access, bytes);
    if (last != access) {
        access_path.on_channel += paths.dram().turnaround;
    }
    if (!queues.try_start(number, access_path, bytes, now, queue)) {
        return std::nullopt;
    }
    last = access;
    return access_path.slowest();
}

}  // namespace tessera::timing
