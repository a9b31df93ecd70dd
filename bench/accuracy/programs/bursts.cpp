// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/programs/bursts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/accuracy/kernels/burst_args.hpp"
#include "bench/accuracy/parameters.hpp"
#include "bench/accuracy/programs/places.hpp"
#include "ops/shared/program_builder.hpp"

namespace tessera::score {
namespace {

template <class Args, class Tensors = ops::NoTensors>
KernelHandle add_kernel(Program& program, const char* name, const CoreRangeSet& cores,
                        const Args& args, BurstPlace place, const Tensors& tensors = {}) {
    return CreateKernel(program, fmt::format("bench/accuracy/kernels/{}.cpp", name), cores,
                        DataMovementConfig{.processor = place.processor,
                                           .noc = place.noc,
                                           .compile_args = ops::accessors_of(tensors),
                                           .defines = {},
                                           .named_compile_args = ops::named(args)});
}

/// Ends the row if `areas` areas of `bytes` do not fit into L1.
void check_room(const ArchSpec& arch, std::uint64_t areas, std::uint32_t bytes) {
    const std::uint64_t room = arch.l1.size.value - free_l1(arch);
    expressible(bytes > 0 && areas * bytes <= room,
                "transfers of {} bytes: {} such areas do not fit into the {} free bytes of L1",
                bytes, areas, room);
}

std::uint32_t coordinator_of(const ArchSpec& arch, Start start) {
    return start == Start::BehindBarrier ? packed_coordinate(arch, {0, 0}) : 0;
}

std::vector<std::uint32_t> far_ends_of(const ArchSpec& arch, const UnicastBurst& burst) {
    std::vector<std::uint32_t> args;
    for (const CoreCoord far_end : burst.far_ends) {
        check_core(arch, far_end);
        args.push_back(packed_coordinate(arch, far_end));
    }
    return args;
}

void aim_unicast(Program& program, KernelHandle kernel, const ArchSpec& arch,
                 const CoreRangeSet& cores, const UnicastBurst& burst) {
    expressible(burst.far_ends.size() <= arch.l1.max_runtime_args, "{} far ends, allowed: up to {}",
                burst.far_ends.size(), arch.l1.max_runtime_args);
    SetRuntimeArgs(program, kernel, cores, far_ends_of(arch, burst));
}

}  // namespace

void add_write_burst(Program& program, const ArchSpec& arch, const CoreRangeSet& cores,
                     const UnicastBurst& burst, BurstPlace place) {
    constexpr std::uint32_t kAreas = 2;  // source and destination
    check_room(arch, kAreas, burst.bytes);
    const std::uint32_t source = free_l1(arch);
    const auto packet = static_cast<std::uint32_t>(arch.noc.max_packet.value);
    const auto kernel = add_kernel(
        program, "write_burst", cores,
        WriteBurstArgs{.source = source,
                       .destination = source + burst.bytes,
                       .count = burst.count,
                       .bytes = burst.bytes,
                       .packet_with_state = burst.commands == Commands::WithState ? packet : 0,
                       .num_destinations = static_cast<std::uint32_t>(burst.far_ends.size())},
        place);
    aim_unicast(program, kernel, arch, cores, burst);
}

void add_read_burst(Program& program, const ArchSpec& arch, const CoreRangeSet& cores,
                    const UnicastBurst& burst, BurstPlace place) {
    constexpr std::uint32_t kAreas = 2;
    check_room(arch, kAreas, burst.bytes);
    const std::uint32_t source = free_l1(arch);
    const auto kernel =
        add_kernel(program, "read_burst", cores,
                   ReadBurstArgs{.source = source,
                                 .destination = source + burst.bytes,
                                 .count = burst.count,
                                 .bytes = burst.bytes,
                                 .with_state = burst.commands == Commands::WithState ? 1U : 0U,
                                 .num_sources = static_cast<std::uint32_t>(burst.far_ends.size()),
                                 .in_turn = burst.order == SourceOrder::InTurn ? 1U : 0U},
                   place);
    aim_unicast(program, kernel, arch, cores, burst);
}

void add_multicast_burst(Program& program, const ArchSpec& arch, const CoreRangeSet& senders,
                         const MulticastBurst& burst) {
    constexpr std::uint32_t kAreas = 2;
    check_room(arch, kAreas, burst.bytes);
    check_core(arch, burst.receivers.end_coord);
    const std::uint32_t source = free_l1(arch);
    const CoreCoord start = noc_coordinate(arch, burst.receivers.start_coord);
    const CoreCoord end = noc_coordinate(arch, burst.receivers.end_coord);
    (void)add_kernel(program, "multicast_burst", senders,
                     MulticastBurstArgs{.source = source,
                                        .destination = source + burst.bytes,
                                        .count = burst.count,
                                        .bytes = burst.bytes,
                                        .num_receivers = burst.receivers.size(),
                                        .includes_sender = burst.includes_sender ? 1U : 0U,
                                        .is_linked = burst.is_linked ? 1U : 0U,
                                        .start_x = start.x,
                                        .start_y = start.y,
                                        .end_x = end.x,
                                        .end_y = end.y},
                     kDefaultWrite);
}

KernelHandle add_bank_read(Program& program, const ArchSpec& arch, const CoreRangeSet& cores,
                           const BankBurst& burst, BurstPlace place) {
    constexpr std::uint32_t kAreasWithoutIds = 2;
    expressible(burst.depth < arch.noc.max_transaction_ids, "{} reads in flight, allowed: up to {}",
                burst.depth, arch.noc.max_transaction_ids - 1);
    check_room(arch, std::max(burst.depth, kAreasWithoutIds), burst.bytes);
    return add_kernel(program, "bank_read", cores,
                      BankReadArgs{.landing = free_l1(arch),
                                   .count = burst.count,
                                   .bytes = burst.bytes,
                                   .depth = burst.depth,
                                   .per_barrier = burst.per_barrier,
                                   .same_address = burst.same_address ? 1U : 0U,
                                   .coordinator = coordinator_of(arch, burst.start)},
                      place);
}

KernelHandle add_bank_write(Program& program, const ArchSpec& arch, const CoreRangeSet& cores,
                            const BankBurst& burst, BurstPlace place) {
    check_room(arch, 1, burst.bytes);
    return add_kernel(program, "bank_write", cores,
                      BankWriteArgs{.source = free_l1(arch),
                                    .count = burst.count,
                                    .bytes = burst.bytes,
                                    .coordinator = coordinator_of(arch, burst.start)},
                      place);
}

void aim_bank_burst(Program& program, KernelHandle kernel, CoreCoord core, std::uint32_t bank,
                    std::uint32_t address) {
    ops::set_args(program, kernel, core, BankPlace{.bank = bank, .address = address});
}

namespace {

void add_transfers(Program& program, const ArchSpec& arch, CoreCoord core, CoreCoord noc,
                   std::uint64_t far_address, const SingleTransfers& transfers, BurstPlace place) {
    check_room(arch, 2, transfers.bytes);
    const std::uint32_t near = free_l1(arch);
    const auto far = static_cast<std::uint32_t>(far_address);
    (void)add_kernel(program, "single_transfers", core,
                     SingleTransfersArgs{.is_read = transfers.is_read ? 1U : 0U,
                                         .source = transfers.is_read ? far : near,
                                         .destination = transfers.is_read ? near : far,
                                         .count = transfers.count,
                                         .bytes = transfers.bytes,
                                         .x = noc.x,
                                         .y = noc.y},
                     place);
}

}  // namespace

void add_single_transfers(Program& program, const ArchSpec& arch, CoreCoord core, CoreCoord far_end,
                          const SingleTransfers& transfers, BurstPlace place) {
    check_core(arch, far_end);
    add_transfers(program, arch, core, noc_coordinate(arch, far_end),
                  free_l1(arch) + transfers.bytes, transfers, place);
}

void add_single_bank_transfers(Program& program, const ArchSpec& arch, CoreCoord core,
                               const SingleTransfers& transfers, BurstPlace place) {
    const DramEndpoint& bank = arch.dram.endpoints.front();
    add_transfers(program, arch, core, place.noc == NOC::NOC_0 ? bank.noc : bank.noc1,
                  bank.bank_offset.value + arch.dram.reserved.value, transfers, place);
}

KernelHandle add_page_read(Program& program, const ArchSpec& arch, const CoreRangeSet& cores,
                           const Buffer& buffer, const PageBurst& burst, BurstPlace place) {
    check_room(arch, 1, buffer.aligned_page_size);
    return add_kernel(program, "page_read", cores,
                      PageReadArgs{.landing = free_l1(arch),
                                   .per_barrier = burst.per_barrier,
                                   .num_pages = buffer.num_pages,
                                   .coordinator = coordinator_of(arch, burst.start)},
                      place, PageTensors{.pages = &buffer});
}

KernelHandle add_page_write(Program& program, const ArchSpec& arch, const CoreRangeSet& cores,
                            const Buffer& buffer, const PageBurst& burst, BurstPlace place) {
    check_room(arch, 1, buffer.aligned_page_size);
    return add_kernel(program, "page_write", cores,
                      PageWriteArgs{.source = free_l1(arch),
                                    .num_pages = buffer.num_pages,
                                    .coordinator = coordinator_of(arch, burst.start)},
                      place, PageTensors{.pages = &buffer});
}

void aim_page_burst(Program& program, KernelHandle kernel, CoreCoord core, const Buffer& buffer,
                    std::uint32_t first, std::uint32_t count) {
    ops::set_args(program, kernel, core, ops::addresses_of(PageTensors{.pages = &buffer}),
                  PageRange{.first = first, .count = count});
}

}  // namespace tessera::score
