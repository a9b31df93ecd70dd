// SPDX-License-Identifier: Apache-2.0
// Pages straight into the memory of all devices of a line or ring, each packet to all that it
// passes.
#include "ops/all_gather/place.hpp"
#include "ops/shared/exchange/buffers.hpp"
#include "ops/shared/program_builder.hpp"
#include "tessera/fabric_args.hpp"

namespace tessera::ops::all_gather {
namespace {

CoreCoord core_of(const ArchSpec& arch, std::uint32_t link) {
    // One core sends in both directions; it has the position of the forward direction's core.
    return line_core(arch, link, Way::Forward);
}

CoreRangeSet cores_of(const ArchSpec& arch, std::uint32_t links) {
    std::vector<CoreRange> ranges;
    for (std::uint32_t link = 0; link < links; ++link) {
        ranges.emplace_back(core_of(arch, link));
    }
    return CoreRangeSet(ranges);
}

/// Returns the devices that packets of one direction reach. On a ring of even length the opposite
/// device is reached forward.
std::uint32_t reach_of(const Place& place, Way way) {
    const MeshLine& line = place.line;
    if (line.is_ring) {
        return way == Way::Forward ? line.devices / 2 : (line.devices - 1) / 2;
    }
    return way == Way::Forward ? line.devices - 1 - place.position : place.position;
}

OwnPagesArgs own_pages(const Place& place, std::uint32_t link) {
    const std::uint32_t pages = place.input.buffer.num_pages;
    const auto [first, count] = lane_share(pages, place.schedule.lanes(), link);
    // Own pages only: each packet passes all devices, so no device forwards.
    return {.first = first,
            .count = count,
            .placed = place.position * pages,
            .batch = place.schedule.batch()};
}

/// Returns SideArgs and, if there are devices on that side, the connection. A side without devices
/// has no link to connect to.
std::vector<std::uint32_t> side_words(Program& program, const Place& place, CoreCoord core, Way way,
                                      std::uint32_t link) {
    const SideArgs side{.reach = reach_of(place, way)};
    std::vector<std::uint32_t> words = words_of(side);
    if (side.reach != 0) {
        append_fabric_connection_rt_args(place.line.direction(way), link, program, core, words);
    }
    return words;
}

}  // namespace

Program multicast_program(const ArchSpec& arch, const Place& place) {
    const CoreRangeSet cores = cores_of(arch, place.schedule.links);
    Program program = CreateProgram();
    create_buffer(program, cores, place);
    const exchange::PagePacking packing =
        exchange::page_packing(arch, place.output.buffer, place.schedule.packet_tiles);
    // Pages above a packet's limit have kernels of their own: the split costs instructions for each
    // page.
    const KernelHandle reads =
        CreateKernel(program,
                     packing.is_split ? "ops/all_gather/kernels/multicast_piece_reader.cpp"
                                      : "ops/all_gather/kernels/multicast_reader.cpp",
                     cores, reader_config(NoArgs{}, reader_tensors(place)));
    const KernelHandle writes =
        CreateKernel(program,
                     packing.is_split ? "ops/all_gather/kernels/multicast_piece_writer.cpp"
                                      : "ops/all_gather/kernels/multicast_writer.cpp",
                     cores, writer_config(NoArgs{}, writer_tensors(place)));
    const std::uint32_t told = CreateSemaphore(program, cores, 0);
    for (std::uint32_t link = 0; link < place.schedule.links; ++link) {
        const CoreCoord core = core_of(arch, link);
        const OwnPagesArgs pages = own_pages(place, link);
        set_args(program, reads, core, addresses_of(reader_tensors(place)),
                 MulticastReaderCore{.page_bytes = place.output.buffer.page_size,
                                     .packing = packing.word,
                                     .told_semaphore = told,
                                     .num_others = place.line.devices - 1,
                                     .reads_ahead = place.schedule.read_ahead ? 1U : 0U},
                 pages, side_words(program, place, core, Way::Forward, link));
        set_args(program, writes, core, addresses_of(writer_tensors(place)),
                 MulticastWriterCore{.page_bytes = place.output.buffer.page_size,
                                     .packing = packing.word,
                                     .told_semaphore = told},
                 pages, side_words(program, place, core, Way::Backward, link));
    }
    return program;
}

}  // namespace tessera::ops::all_gather
