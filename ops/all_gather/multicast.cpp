// SPDX-License-Identifier: Apache-2.0
// Pages straight into the memory of all devices of a line or ring, each packet to all that it
// passes.
#include "ops/all_gather/place.hpp"
#include "ops/shared/exchange/buffers.hpp"
#include "tessera/fabric_args.hpp"

namespace tessera::ops::all_gather {
namespace {

CoreCoord core_of(const ArchSpec& arch, std::uint32_t link) {
    return line_core(arch, link, Way::Forward);
}

CoreRangeSet cores_of(const ArchSpec& arch, std::uint32_t links) {
    std::vector<CoreRange> ranges;
    for (std::uint32_t link = 0; link < links; ++link) {
        ranges.emplace_back(core_of(arch, link));
    }
    return CoreRangeSet(ranges);
}

/// On a ring of even length the device opposite is reached forward.
std::uint32_t reach_of(const Place& place, Way way) {
    const MeshLine& line = place.line;
    if (line.is_ring) {
        return way == Way::Forward ? line.devices / 2 : (line.devices - 1) / 2;
    }
    return way == Way::Forward ? line.devices - 1 - place.position : place.position;
}

void append_pages(const Place& place, std::uint32_t link, std::vector<std::uint32_t>& args) {
    const std::uint32_t pages = place.input.buffer.num_pages;
    const auto [first, count] = lane_share(pages, place.schedule.lanes(), link);
    args.insert(args.end(), {first, count, place.position * pages, place.schedule.batch()});
}

void append_side(Program& program, const Place& place, CoreCoord core, Way way, std::uint32_t link,
                 std::vector<std::uint32_t>& args) {
    args.push_back(reach_of(place, way));
    if (reach_of(place, way) != 0) {
        append_fabric_connection_rt_args(place.line.direction(way), link, program, core, args);
    }
}

}  // namespace

Program multicast_program(const ArchSpec& arch, const Place& place) {
    const CoreRangeSet cores = cores_of(arch, place.schedule.links);
    Program program = CreateProgram();
    create_buffer(program, cores, place);
    std::vector<std::uint32_t> reader_args;
    std::vector<std::uint32_t> writer_args;
    TensorAccessorArgs(place.input.buffer).append_to(reader_args);
    TensorAccessorArgs(place.output.buffer).append_to(reader_args);
    TensorAccessorArgs(place.output.buffer).append_to(writer_args);
    const exchange::PagePacking packing =
        exchange::page_packing(arch, place.output.buffer, place.schedule.packet_tiles);
    const KernelHandle reads =
        CreateKernel(program,
                     packing.is_split ? "ops/all_gather/kernels/multicast_piece_reader.cpp"
                                      : "ops/all_gather/kernels/multicast_reader.cpp",
                     cores, ReaderDataMovementConfig(reader_args));
    const KernelHandle writes =
        CreateKernel(program,
                     packing.is_split ? "ops/all_gather/kernels/multicast_piece_writer.cpp"
                                      : "ops/all_gather/kernels/multicast_writer.cpp",
                     cores, WriterDataMovementConfig(writer_args));
    const std::uint32_t told = CreateSemaphore(program, cores, 0);
    for (std::uint32_t link = 0; link < place.schedule.links; ++link) {
        const CoreCoord core = core_of(arch, link);
        std::vector<std::uint32_t> reader{place.input.buffer.address,
                                          place.output.buffer.address,
                                          place.output.buffer.page_size,
                                          packing.word,
                                          told,
                                          place.line.devices - 1,
                                          place.schedule.read_ahead ? 1U : 0U};
        std::vector<std::uint32_t> writer{place.output.buffer.address,
                                          place.output.buffer.page_size, packing.word, told};
        append_pages(place, link, reader);
        append_pages(place, link, writer);
        append_side(program, place, core, Way::Forward, link, reader);
        append_side(program, place, core, Way::Backward, link, writer);
        SetRuntimeArgs(program, reads, core, reader);
        SetRuntimeArgs(program, writes, core, writer);
    }
    return program;
}

}  // namespace tessera::ops::all_gather
