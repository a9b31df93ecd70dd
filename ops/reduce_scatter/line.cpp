// SPDX-License-Identifier: Apache-2.0
// Sums from both ends of a line to each device; partial sums are in memory.
#include "ops/reduce_scatter/algorithms.hpp"
#include "ops/reduce_scatter/kernels/args.hpp"
#include "ops/reduce_scatter/reduce_scatter.hpp"
#include "ops/shared/exchange/buffers.hpp"
#include "ops/shared/program_builder.hpp"
#include "tessera/fabric_args.hpp"

namespace tessera::ops::reduce_scatter::line {
namespace {

void create_buffers(Program& program, const CoreRangeSet& cores, const Schedule& schedule) {
    for (const Cb cb : {Cb::Own, Cb::Forward, Cb::Backward, Cb::Sum}) {
        // A sync announces sync_tiles, and compute takes a batch of the same size.
        add_circular_buffer(
            program, cores, cb, DataFormat::Float16_b,
            {schedule.cb_depth * schedule.sync_tiles, tile_bytes(DataFormat::Float16_b)});
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

    [[nodiscard]] const Buffer& input() const {
        return context.device_inputs["input"_in][device].buffer;
    }
    [[nodiscard]] const Buffer& output() const {
        return context.device_outputs[only(kOutputs)][device].buffer;
    }
    // Returns the workspace of a direction. There is one for each: partial sums of both directions
    // arrive at the same time.
    [[nodiscard]] const Buffer& partial(Way way) const {
        return context.workspaces()[static_cast<std::size_t>(way)][device].buffer;
    }
    [[nodiscard]] std::uint32_t num_ahead(Way way) const {
        return way == Way::Forward ? line.devices - 1 - device : device;
    }
};

ReaderTensors reader_tensors(const Place& place, Way way) {
    return {.input = &place.input(),
            .partial = &place.partial(way),
            .far_side = &place.partial(opposite(way))};
}

WriterTensors writer_tensors(const Place& place, Way way) {
    return {.output = &place.output(), .partial = &place.partial(way)};
}

// The kernels serve both ways: the workspaces of the ways differ in their addresses only.
Kernels create_kernels(Program& program, const CoreRangeSet& cores, const Place& place) {
    return {CreateKernel(program, "ops/reduce_scatter/kernels/reader.cpp", cores,
                         reader_config(NoArgs{}, reader_tensors(place, Way::Forward))),
            CreateKernel(program, "ops/reduce_scatter/kernels/compute.cpp", cores,
                         ComputeConfig{.fp32_dest_acc_en = true}),
            CreateKernel(program, "ops/reduce_scatter/kernels/writer.cpp", cores,
                         writer_config(NoArgs{}, writer_tensors(place, Way::Forward))),
            CreateSemaphore(program, cores, 0),
            CreateSemaphore(program, cores, 0),
            CreateSemaphore(program, cores, 0)};
}

// Returns the direction whose core completes the slice that stays: the one that sends less.
Way completing_way(std::uint32_t devices, std::uint32_t device) {
    return devices - 1 - device <= device ? Way::Forward : Way::Backward;
}

JourneyArgs journey_args(const Place& place, Way way, std::uint32_t lane) {
    const std::uint32_t tiles = place.output().num_pages;
    const auto [first, count] = lane_share(tiles, place.schedule.lanes(), lane);
    // Lanes share every slice, so all lanes are busy until the last slice.
    return {.slice_tiles = tiles,
            .first = first,
            .count = count,
            .num_devices = place.line.devices,
            .position = place.device,
            .is_backward = way == Way::Backward ? 1U : 0U,
            .is_completing = completing_way(place.line.devices, place.device) == way ? 1U : 0U,
            .batch = place.schedule.sync_tiles};
}

// The next device completes the slice that leaves last. Its core of the other direction may do
// that.
WriterCore writer_core(const Place& place, const Kernels& kernels, Way way, std::uint32_t lane) {
    const std::uint32_t next = way == Way::Forward ? place.device + 1 : place.device - 1;
    const Way completing = completing_way(place.line.devices, next);
    const CoreCoord core = line_core(place.arch, lane, completing);
    const CoreCoord other = line_core(place.arch, lane, opposite(way));
    const CoreCoord origin = place.arch.workers.virtual_origin;
    return {
        .arrived_semaphore = kernels.arrived,
        .last_arrived_semaphore = completing == way ? kernels.arrived : kernels.far_side_arrived,
        .last_x = origin.x + core.x,
        .last_y = origin.y + core.y,
        .started_semaphore = kernels.started,
        .packet_tiles =
            exchange::pages_per_packet(place.arch, place.output(), place.schedule.packet_tiles),
        // `start: all` awaits every device before the first packet, as tt-metal
        // reduce_scatter_minimal_async.
        .starts_with_all = place.schedule.start == Start::All ? 1U : 0U,
        .opposite_x = origin.x + other.x,
        .opposite_y = origin.y + other.y};
}

void set_arguments(Program& program, const Kernels& kernels, const Place& place, CoreCoord core,
                   Way way, std::uint32_t lane) {
    const JourneyArgs journey = journey_args(place, way, lane);
    std::vector<std::uint32_t> connection;
    if (place.num_ahead(way) != 0) {
        append_fabric_connection_rt_args(place.line.direction(way),
                                         place.schedule.lanes().link_of(lane), program, core,
                                         connection);
    }
    set_args(program, kernels.reader, core, addresses_of(reader_tensors(place, way)),
             ReaderCore{.arrived_semaphore = kernels.arrived,
                        .far_side_arrived_semaphore = kernels.far_side_arrived},
             journey);
    set_args(program, kernels.compute, core, journey);
    set_args(program, kernels.writer, core, addresses_of(writer_tensors(place, way)),
             writer_core(place, kernels, way, lane), journey, connection);
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
