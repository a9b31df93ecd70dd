// SPDX-License-Identifier: Apache-2.0
// Sums from both ends of a line to each device; partial sums lie in memory.
#include "ops/reduce_scatter/algorithms.hpp"
#include "ops/reduce_scatter/reduce_scatter.hpp"
#include "ops/shared/exchange/buffers.hpp"
#include "tessera/fabric_args.hpp"

namespace tessera::ops::reduce_scatter::line {
namespace {

// Circular buffers, as the kernels number them (kernels/journey.hpp).
enum : std::uint8_t { kOwn = 0, kForward = 1, kBackward = 2, kSum = 3 };

void create_buffers(Program& program, const CoreRangeSet& cores, const Schedule& schedule) {
    const std::uint32_t page = tile_bytes(DataFormat::Float16_b);
    for (const std::uint8_t index : {kOwn, kForward, kBackward, kSum}) {
        CreateCircularBuffer(program, cores,
                             CircularBufferConfig(schedule.cb_depth * schedule.sync_tiles * page,
                                                  {{index, DataFormat::Float16_b}})
                                 .set_page_size(index, page));
    }
}

struct Kernels {
    KernelHandle reader;
    KernelHandle compute;
    KernelHandle writer;
    std::uint32_t arrived;
    std::uint32_t far_side_arrived;
    std::uint32_t started;
};

/// One device's part.
struct Place {
    const OpContext& context;
    const MeshLine& line;
    std::uint32_t device;
    const ArchSpec& arch = context.arch;
    const Schedule& schedule = context.params<Schedule>();

    [[nodiscard]] const Buffer& input() const { return context.device_inputs[0][device].buffer; }
    [[nodiscard]] const Buffer& output() const { return context.device_outputs[0][device].buffer; }
    [[nodiscard]] const Buffer& partial(Way way) const {
        return context.device_outputs[way == Way::Forward ? 1 : 2][device].buffer;
    }
    [[nodiscard]] std::uint32_t num_ahead(Way way) const {
        return way == Way::Forward ? line.devices - 1 - device : device;
    }
};

Kernels create_kernels(Program& program, const CoreRangeSet& cores, const Place& place) {
    std::vector<std::uint32_t> reader_args;
    std::vector<std::uint32_t> writer_args;
    TensorAccessorArgs(place.input()).append_to(reader_args);
    TensorAccessorArgs(place.partial(Way::Forward)).append_to(writer_args);
    TensorAccessorArgs(place.output()).append_to(writer_args);
    return {CreateKernel(program, "ops/reduce_scatter/kernels/reader.cpp", cores,
                         ReaderDataMovementConfig(reader_args)),
            CreateKernel(program, "ops/reduce_scatter/kernels/compute.cpp", cores,
                         ComputeConfig{.fp32_dest_acc_en = true}),
            CreateKernel(program, "ops/reduce_scatter/kernels/writer.cpp", cores,
                         WriterDataMovementConfig(writer_args)),
            CreateSemaphore(program, cores, 0),
            CreateSemaphore(program, cores, 0),
            CreateSemaphore(program, cores, 0)};
}

// The core that completes the slice that stays: of the way in which less is sent.
Way completing_way(std::uint32_t devices, std::uint32_t device) {
    return devices - 1 - device <= device ? Way::Forward : Way::Backward;
}

std::vector<std::uint32_t> journey_args(const Place& place, Way way, std::uint32_t lane) {
    const std::uint32_t tiles = place.output().num_pages;
    const auto [first, count] = lane_share(tiles, place.schedule.lanes(), lane);
    return {tiles,
            first,
            count,
            place.line.devices,
            place.device,
            way == Way::Backward ? 1U : 0U,
            completing_way(place.line.devices, place.device) == way ? 1U : 0U,
            place.schedule.sync_tiles};
}

// The last slice sent is completed by the next device, perhaps by its core of the other way.
std::vector<std::uint32_t> writer_args(const Place& place, const Kernels& kernels, Way way,
                                       std::uint32_t lane) {
    const std::uint32_t next = way == Way::Forward ? place.device + 1 : place.device - 1;
    const Way completing = completing_way(place.line.devices, next);
    const CoreCoord core = line_core(place.arch, lane, completing);
    const CoreCoord other = line_core(place.arch, lane, opposite(way));
    const CoreCoord origin = place.arch.workers.virtual_origin;
    return {place.output().address,
            place.partial(way).address,
            kernels.arrived,
            completing == way ? kernels.arrived : kernels.far_side_arrived,
            origin.x + core.x,
            origin.y + core.y,
            kernels.started,
            exchange::pages_per_packet(place.arch, place.output(), place.schedule.packet_tiles),
            place.schedule.start == Start::All ? 1U : 0U,
            origin.x + other.x,
            origin.y + other.y};
}

void set_arguments(Program& program, const Kernels& kernels, const Place& place, CoreCoord core,
                   Way way, std::uint32_t lane) {
    const std::vector<std::uint32_t> journey = journey_args(place, way, lane);
    std::vector<std::uint32_t> reader{place.input().address, place.partial(way).address,
                                      place.partial(opposite(way)).address, kernels.arrived,
                                      kernels.far_side_arrived};
    std::vector<std::uint32_t> writer = writer_args(place, kernels, way, lane);
    reader.insert(reader.end(), journey.begin(), journey.end());
    writer.insert(writer.end(), journey.begin(), journey.end());
    if (place.num_ahead(way) != 0) {
        append_fabric_connection_rt_args(
            place.line.direction(way), place.schedule.lanes().link_of(lane), program, core, writer);
    }
    SetRuntimeArgs(program, kernels.reader, core, reader);
    SetRuntimeArgs(program, kernels.compute, core, journey);
    SetRuntimeArgs(program, kernels.writer, core, writer);
}

Program make_program(const Place& place) {
    const CoreRangeSet cores = line_cores(place.arch, place.schedule.lanes());
    Program program = CreateProgram();
    create_buffers(program, cores, place.schedule);
    const Kernels kernels = create_kernels(program, cores, place);
    for_each_line_core(place.arch, place.schedule.lanes(),
                       [&](CoreCoord core, Way way, std::uint32_t lane) {
                           set_arguments(program, kernels, place, core, way, lane);
                       });
    return program;
}

}  // namespace

std::vector<DeviceProgram> programs(const OpContext& context) {
    const MeshLine line = mesh_line(context.mesh);
    std::vector<DeviceProgram> all;
    for (std::uint32_t d = 0; d < line.devices; ++d) {
        all.push_back({d, make_program({context, line, d})});
    }
    return all;
}

}  // namespace tessera::ops::reduce_scatter::line
