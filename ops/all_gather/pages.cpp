// SPDX-License-Identifier: Apache-2.0
// Pages straight into the memory of the neighbours on a line or ring.
#include "ops/all_gather/place.hpp"
#include "ops/shared/exchange/buffers.hpp"
#include "ops/shared/program_builder.hpp"
#include "tessera/fabric_args.hpp"

namespace tessera::ops::all_gather {
namespace {

struct Kernels {
    KernelHandle reader;
    KernelHandle writer;
    std::uint32_t arrived;
    std::uint32_t started;
};

Kernels create_kernels(Program& program, const CoreRangeSet& cores, const Place& place,
                       const exchange::PagePacking& packing) {
    // Pages above a packet's limit have a kernel of their own: the split costs instructions for
    // each page.
    return {CreateKernel(program, "ops/all_gather/kernels/reader.cpp", cores,
                         reader_config(NoArgs{}, reader_tensors(place))),
            CreateKernel(program,
                         packing.is_split ? "ops/all_gather/kernels/piece_writer.cpp"
                                          : "ops/all_gather/kernels/writer.cpp",
                         cores, writer_config(NoArgs{}, writer_tensors(place))),
            CreateSemaphore(program, cores, 0), CreateSemaphore(program, cores, 0)};
}

SliceArgs slice_args(const Place& place, Way way, std::uint32_t lane) {
    const std::uint32_t pages = place.input.buffer.num_pages;
    const auto [first, count] = lane_share(pages, place.schedule.lanes(), lane);
    const Travel travel = place.travel(way);
    return {.slice_pages = pages,
            .first = first,
            .count = count,
            .num_devices = place.line.devices,
            .position = place.position,
            .is_backward = way == Way::Backward ? 1U : 0U,
            .num_sent = travel.num_sent,
            .num_received = travel.num_received,
            .is_last_halved = travel.is_last_halved ? 1U : 0U,
            .batch = place.schedule.batch(),
            .sync = place.schedule.sync_pages};
}

void set_arguments(Program& program, const Kernels& kernels, const exchange::PagePacking& packing,
                   const Place& place, CoreCoord core, Way way, std::uint32_t lane) {
    const SliceArgs slices = slice_args(place, way, lane);
    const std::uint32_t is_copier = place.copies(way) ? 1 : 0;
    std::vector<std::uint32_t> connection;
    // A device at the end of a line sends nothing in this direction, and has no link to connect to.
    if (place.travel(way).num_sent != 0) {
        append_fabric_connection_rt_args(place.line.direction(way),
                                         place.schedule.lanes().link_of(lane), program, core,
                                         connection);
    }
    set_args(program, kernels.reader, core, addresses_of(reader_tensors(place)),
             ReaderCore{.arrived_semaphore = kernels.arrived, .is_copier = is_copier}, slices);
    set_args(program, kernels.writer, core, addresses_of(writer_tensors(place)),
             WriterCore{.page_bytes = place.output.buffer.page_size,
                        .arrived_semaphore = kernels.arrived,
                        .is_copier = is_copier,
                        .started_semaphore = kernels.started,
                        .num_targets = place.num_targets(way),
                        .packing = packing.word},
             slices, connection);
}

Program make_program(const ArchSpec& arch, const Place& place) {
    const CoreRangeSet cores = line_cores(arch, place.schedule.lanes());
    Program program = CreateProgram();
    create_buffer(program, cores, place);
    const exchange::PagePacking packing =
        exchange::page_packing(arch, place.output.buffer, place.schedule.packet_tiles);
    const Kernels kernels = create_kernels(program, cores, place, packing);
    for_each_line_core(arch, place.schedule.lanes(),
                       [&](CoreCoord core, Way way, std::uint32_t lane) {
                           set_arguments(program, kernels, packing, place, core, way, lane);
                       });
    return program;
}

}  // namespace

ReaderTensors reader_tensors(const Place& place) {
    return {.input = &place.input.buffer, .output = &place.output.buffer};
}

WriterTensors writer_tensors(const Place& place) {
    return {.output = &place.output.buffer};
}

void create_buffer(Program& program, const CoreRangeSet& cores, const Place& place) {
    // Each page of the buffer begins at an aligned address, to which NoC reads from DRAM must go.
    add_circular_buffer(
        program, cores, Cb::Pages, place.input.spec.format,
        {place.schedule.cb_depth * place.schedule.batch(), place.input.buffer.aligned_page_size});
}

std::vector<DeviceProgram> line_programs(const OpContext& context) {
    // Devices are numbered along the line, so the position is also the index of the program.
    const auto& schedule = context.params<Schedule>();
    const MeshLine line = mesh_line(context.mesh);
    std::vector<DeviceProgram> programs;
    for (std::uint32_t d = 0; d < line.devices; ++d) {
        const Place place{line, d, context.device_inputs["input"_in][d],
                          context.device_outputs[only(kOutputs)][d], schedule};
        programs.push_back({d, schedule.algorithm == Algorithm::Multicast
                                   ? multicast_program(context.arch, place)
                                   : make_program(context.arch, place)});
    }
    return programs;
}

}  // namespace tessera::ops::all_gather
