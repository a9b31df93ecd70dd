// SPDX-License-Identifier: Apache-2.0
#include "ops/reduce_scatter/reduce_scatter.hpp"

#include "tessera/errors.hpp"
#include "tessera/fabric_args.hpp"

namespace tessera::ops::reduce_scatter {
namespace {

constexpr const char* kOp = "reduce_scatter";

// Circular buffers, as the kernels number them (kernels/journey.hpp).
enum : std::uint8_t { kOwn = 0, kForward = 1, kBackward = 2, kSum = 3 };

void check(const ArchSpec& arch, std::uint32_t devices, const Inputs& inputs,
           const Outputs& outputs, const Schedule& schedule) {
    check_lanes(kOp, arch, schedule.lanes);
    require(schedule.sync_tiles >= 1, "{}: the schedule's sync_tiles is 0; it must be at least 1",
            kOp);
    require(schedule.cb_depth >= 1, "{}: the schedule's cb_depth is 0; it must be at least 1", kOp);
    require(!inputs.inputs.empty(), "{}: 0 tensors input; the mesh has {} devices", kOp, devices);
    const TensorSpec& input = inputs.inputs[0].spec;
    check_one_each(kOp, "input", devices, inputs.inputs, input);
    check_one_each(kOp, "output", devices, outputs.outputs, output_spec(input, devices));
    check_one_each(kOp, "partial_forward", devices, outputs.partial_forward, input);
    check_one_each(kOp, "partial_backward", devices, outputs.partial_backward, input);
}

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
    const ArchSpec& arch;
    const MeshLine& line;
    std::uint32_t device;
    const Inputs& inputs;
    const Outputs& outputs;
    const Schedule& schedule;

    [[nodiscard]] const Buffer& input() const { return inputs.inputs[device].buffer; }
    [[nodiscard]] const Buffer& output() const { return outputs.outputs[device].buffer; }
    [[nodiscard]] const Buffer& partial(Way way) const {
        return (way == Way::Forward ? outputs.partial_forward : outputs.partial_backward)[device]
            .buffer;
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
    const auto [first, count] = lane_share(tiles, place.schedule.lanes, lane);
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
    const CoreCoord origin = place.arch.workers.virtual_origin;
    return {place.output().address, place.partial(way).address,
            kernels.arrived,        completing == way ? kernels.arrived : kernels.far_side_arrived,
            origin.x + core.x,      origin.y + core.y,
            kernels.started};
}

void set_arguments(Program& program, const Kernels& kernels, const Place& place, Way way,
                   std::uint32_t lane) {
    const CoreCoord core = line_core(place.arch, lane, way);
    const std::vector<std::uint32_t> journey = journey_args(place, way, lane);
    std::vector<std::uint32_t> reader{place.input().address, place.partial(way).address,
                                      place.partial(opposite(way)).address, kernels.arrived,
                                      kernels.far_side_arrived};
    std::vector<std::uint32_t> writer = writer_args(place, kernels, way, lane);
    reader.insert(reader.end(), journey.begin(), journey.end());
    writer.insert(writer.end(), journey.begin(), journey.end());
    if (place.num_ahead(way) != 0) {
        append_fabric_connection_rt_args(place.line.direction(way),
                                         place.schedule.lanes.link_of(lane), program, core, writer);
    }
    SetRuntimeArgs(program, kernels.reader, core, reader);
    SetRuntimeArgs(program, kernels.compute, core, journey);
    SetRuntimeArgs(program, kernels.writer, core, writer);
}

Program make_program(const Place& place) {
    const CoreRangeSet cores = line_cores(place.arch, place.schedule.lanes);
    Program program = CreateProgram();
    create_buffers(program, cores, place.schedule);
    const Kernels kernels = create_kernels(program, cores, place);
    for (std::uint32_t lane = 0; lane < place.schedule.lanes.count(); ++lane) {
        for (const Way way : {Way::Forward, Way::Backward}) {
            set_arguments(program, kernels, place, way, lane);
        }
    }
    return program;
}

}  // namespace

TensorSpec output_spec(const TensorSpec& input, std::uint32_t devices) {
    require(input.shape.size() == 2 && num_elements(input.shape) > 0 &&
                input.format == DataFormat::Float16_b && input.layout == Layout::TILE &&
                input.shape[0] % (kTileRows * devices) == 0,
            "{}: input is {}; it must be bfloat16 TILE of rank 2 with a multiple of {} rows, a "
            "whole number of tiles for each of {} devices",
            kOp, describe(input), kTileRows * devices, devices);
    TensorSpec output = input;
    output.shape[0] /= devices;
    return output;
}

std::vector<DeviceProgram> make_programs(const ArchSpec& arch, const MeshSpec& mesh,
                                         const Inputs& inputs, const Outputs& outputs,
                                         const Schedule& schedule) {
    const MeshLine line = mesh_line(kOp, mesh);
    check(arch, line.devices, inputs, outputs, schedule);
    std::vector<DeviceProgram> programs;
    for (std::uint32_t d = 0; d < line.devices; ++d) {
        programs.push_back({d, make_program({arch, line, d, inputs, outputs, schedule})});
    }
    return programs;
}

}  // namespace tessera::ops::reduce_scatter
