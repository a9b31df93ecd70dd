// SPDX-License-Identifier: Apache-2.0
// Pages straight into the memory of the neighbours on a line or ring.
#include "ops/all_gather/place.hpp"
#include "ops/shared/exchange/buffers.hpp"
#include "tessera/fabric_args.hpp"

namespace tessera::ops::all_gather {
namespace {

struct Kernels {
    KernelHandle reader;
    KernelHandle writer;
    std::uint32_t arrived;
    std::uint32_t started;
};

Kernels create_kernels(Program& program, const CoreRangeSet& cores, const DeviceTensor& input,
                       const DeviceTensor& output, const exchange::PagePacking& packing) {
    std::vector<std::uint32_t> reader_args;
    std::vector<std::uint32_t> writer_args;
    TensorAccessorArgs(input.buffer).append_to(reader_args);
    TensorAccessorArgs(output.buffer).append_to(reader_args);
    TensorAccessorArgs(output.buffer).append_to(writer_args);
    return {CreateKernel(program, "ops/all_gather/kernels/reader.cpp", cores,
                         ReaderDataMovementConfig(reader_args)),
            CreateKernel(program,
                         packing.is_split ? "ops/all_gather/kernels/piece_writer.cpp"
                                          : "ops/all_gather/kernels/writer.cpp",
                         cores, WriterDataMovementConfig(writer_args)),
            CreateSemaphore(program, cores, 0), CreateSemaphore(program, cores, 0)};
}

std::vector<std::uint32_t> slice_args(const Place& place, Way way, std::uint32_t lane) {
    const std::uint32_t pages = place.input.buffer.num_pages;
    const auto [first, count] = lane_share(pages, place.schedule.lanes(), lane);
    const Travel travel = place.travel(way);
    return {pages,
            first,
            count,
            place.line.devices,
            place.position,
            way == Way::Backward ? 1U : 0U,
            travel.num_sent,
            travel.num_received,
            travel.is_last_halved ? 1U : 0U,
            place.schedule.batch(),
            place.schedule.sync_pages};
}

void set_arguments(Program& program, const Kernels& kernels, const exchange::PagePacking& packing,
                   const Place& place, CoreCoord core, Way way, std::uint32_t lane) {
    const std::vector<std::uint32_t> slices = slice_args(place, way, lane);
    const std::uint32_t is_copier = place.copies(way) ? 1 : 0;
    std::vector<std::uint32_t> reader{place.input.buffer.address, place.output.buffer.address,
                                      kernels.arrived, is_copier};
    std::vector<std::uint32_t> writer{place.output.buffer.address,
                                      place.output.buffer.page_size,
                                      kernels.arrived,
                                      is_copier,
                                      kernels.started,
                                      place.num_targets(way),
                                      packing.word};
    reader.insert(reader.end(), slices.begin(), slices.end());
    writer.insert(writer.end(), slices.begin(), slices.end());
    if (place.travel(way).num_sent != 0) {
        append_fabric_connection_rt_args(
            place.line.direction(way), place.schedule.lanes().link_of(lane), program, core, writer);
    }
    SetRuntimeArgs(program, kernels.reader, core, reader);
    SetRuntimeArgs(program, kernels.writer, core, writer);
}

Program make_program(const ArchSpec& arch, const Place& place) {
    const CoreRangeSet cores = line_cores(arch, place.schedule.lanes());
    Program program = CreateProgram();
    create_buffer(program, cores, place);
    const exchange::PagePacking packing =
        exchange::page_packing(arch, place.output.buffer, place.schedule.packet_tiles);
    const Kernels kernels = create_kernels(program, cores, place.input, place.output, packing);
    for_each_line_core(arch, place.schedule.lanes(),
                       [&](CoreCoord core, Way way, std::uint32_t lane) {
                           set_arguments(program, kernels, packing, place, core, way, lane);
                       });
    return program;
}

}  // namespace

void create_buffer(Program& program, const CoreRangeSet& cores, const Place& place) {
    const std::uint32_t page = place.input.buffer.aligned_page_size;
    CreateCircularBuffer(
        program, cores,
        CircularBufferConfig(place.schedule.cb_depth * place.schedule.batch() * page,
                             {{kPages, place.input.spec.format}})
            .set_page_size(kPages, page));
}

std::vector<DeviceProgram> line_programs(const OpContext& context) {
    const auto& schedule = context.params<Schedule>();
    const MeshLine line = mesh_line(context.mesh);
    std::vector<DeviceProgram> programs;
    for (std::uint32_t d = 0; d < line.devices; ++d) {
        const Place place{line, d, context.device_inputs[0][d], context.device_outputs[0][d],
                          schedule};
        programs.push_back({d, schedule.algorithm == Algorithm::Multicast
                                   ? multicast_program(context.arch, place)
                                   : make_program(context.arch, place)});
    }
    return programs;
}

}  // namespace tessera::ops::all_gather
