// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/network/dram_banks.hpp"

namespace tessera::timing {

DramBanks::DramBanks(const Machine& machine, std::uint32_t num_devices, const NocPaths& paths,
                     ResourceQueues& queues, TransferPool& transfers)
    : arch_(machine.arch),
      paths_(paths),
      queues_(queues),
      transfers_(transfers),
      buffer_size_(static_cast<std::uint32_t>(machine.timing.dram.write_buffer.value)),
      buffers_(std::size_t{num_devices} * machine.arch.dram.num_banks),
      last_accesses_(std::size_t{num_devices} * machine.arch.dram.num_banks,
                     NocPaths::Access::Read) {
}

std::size_t DramBanks::index(std::uint32_t device, std::uint32_t bank) const noexcept {
    return std::size_t{device} * arch_.dram.num_banks + bank;
}

// Reads and writes alike take their bank and the bank's channel. The channel's bus turns between
// accesses in opposite directions (dram.turnaround).
std::optional<Millicycles> DramBanks::start_access(Transfer& transfer, NocPaths::Access access,
                                                   std::uint32_t bytes, Millicycles now,
                                                   EventQueue& queue) {
    const Request& request = transfer.request;
    const std::uint32_t bank = request.place.bank();
    const std::uint32_t channel = arch_.dram.endpoints[bank].channel;
    NocPaths::Access& last = last_accesses_[index(request.device, channel)];
    BankPath path = paths_.bank(request.device, bank, access, bytes);
    if (last != access) {
        path.on_channel += paths_.dram().turnaround;
    }
    if (!queues_.try_start(transfer, path, bytes, now, queue)) {
        return std::nullopt;
    }
    last = access;
    return path.slowest();
}

}  // namespace tessera::timing
