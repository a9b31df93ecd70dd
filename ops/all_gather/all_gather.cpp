// SPDX-License-Identifier: Apache-2.0
#include "ops/all_gather/all_gather.hpp"

#include <algorithm>

#include "ops/all_gather/travel.hpp"
#include "ops/expect_tensor.hpp"
#include "tessera/errors.hpp"
#include "tessera/fabric_args.hpp"
#include "tessera/mesh_links.hpp"

namespace tessera::ops::all_gather {
namespace {

constexpr const char* kOp = "all_gather";
constexpr std::uint8_t kPages = 0;  // the circular buffer, as the kernels number it

/// The devices of the mesh as one line, and whether its ends are joined.
struct Line {
    std::uint32_t devices = 1;
    bool is_ring = false;
    LinkDirection forward = LinkDirection::East;
    LinkDirection backward = LinkDirection::West;
};

Line line_of(const MeshSpec& mesh) {
    const auto [rows, columns] = mesh.shape;
    require(rows == 1 || columns == 1,
            "{}: a mesh of {}x{} devices; it must be a single row or column", kOp, rows, columns);
    const bool is_row = rows == 1;
    // Two devices have one link between them, which a ring would use twice.
    const bool is_ring =
        rows * columns > 2 && mesh_axis::is_closed(mesh.topology, is_row ? rows : columns);
    return {rows * columns, is_ring, is_row ? LinkDirection::East : LinkDirection::South,
            is_row ? LinkDirection::West : LinkDirection::North};
}

void check_schedule(const ArchSpec& arch, const Schedule& schedule) {
    const GridSize grid = arch.workers.compute;
    const std::uint32_t most = std::min(kLinksPerDirection, grid.columns * grid.rows / 2);
    require(schedule.links >= 1 && schedule.links <= most,
            "{}: the schedule uses {} links of a direction; 1 to {} are possible on {}", kOp,
            schedule.links, most, arch.name);
    require(schedule.sync_pages >= 1, "{}: the schedule's sync_pages is 0; it must be at least 1",
            kOp);
    require(schedule.cb_depth >= 1, "{}: the schedule's cb_depth is 0; it must be at least 1", kOp);
}

void check_tensors(std::uint32_t devices, const Inputs& inputs, const Outputs& outputs) {
    require(inputs.inputs.size() == devices && outputs.outputs.size() == devices,
            "{}: {} inputs and {} outputs; the mesh has {} devices, each with one of both", kOp,
            inputs.inputs.size(), outputs.outputs.size(), devices);
    const TensorSpec& input = inputs.inputs[0].spec;
    const TensorSpec output = output_spec(input, devices);
    for (std::uint32_t d = 0; d < devices; ++d) {
        expect_tensor(kOp, fmt::format("input of device {}", d), inputs.inputs[d], input);
        expect_tensor(kOp, fmt::format("output of device {}", d), outputs.outputs[d], output);
        for (const Buffer* buffer : {&inputs.inputs[d].buffer, &outputs.outputs[d].buffer}) {
            require(buffer->device == d && !buffer->shard,
                    "{}: the tensor at place {} is on device {}{}; it must be on device {}, "
                    "interleaved",
                    kOp, d, buffer->device, buffer->shard ? ", sharded" : "", d);
        }
    }
}

struct Kernels {
    KernelHandle reader;
    KernelHandle writer;
    std::uint32_t arrived;
};

Kernels create_kernels(Program& program, const CoreRangeSet& cores, const DeviceTensor& input,
                       const DeviceTensor& output) {
    std::vector<std::uint32_t> reader_args;
    std::vector<std::uint32_t> writer_args;
    TensorAccessorArgs(input.buffer).append_to(reader_args);
    TensorAccessorArgs(output.buffer).append_to(reader_args);
    TensorAccessorArgs(output.buffer).append_to(writer_args);
    return {CreateKernel(program, "ops/all_gather/kernels/reader.cpp", cores,
                         ReaderDataMovementConfig(reader_args)),
            CreateKernel(program, "ops/all_gather/kernels/writer.cpp", cores,
                         WriterDataMovementConfig(writer_args)),
            CreateSemaphore(program, cores, 0)};
}

void create_buffer(Program& program, const CoreRangeSet& cores, const DeviceTensor& input,
                   const Schedule& schedule) {
    const std::uint32_t page = input.buffer.aligned_page_size;
    CreateCircularBuffer(program, cores,
                         CircularBufferConfig(schedule.cb_depth * schedule.sync_pages * page,
                                              {{kPages, input.spec.format}})
                             .set_page_size(kPages, page));
}

/// One device's part.
struct Place {
    const Line& line;
    std::uint32_t position;
    const DeviceTensor& input;
    const DeviceTensor& output;
    const Schedule& schedule;

    [[nodiscard]] Travel travel(Way way) const {
        return line.is_ring ? travel_on_ring(line.devices)
                            : travel_on_line(line.devices, position, way);
    }
    /// The own pages are copied by the core that reads them anyway.
    [[nodiscard]] bool copies(Way way) const {
        const bool forward_sends = travel(Way::Forward).num_sent != 0;
        return (way == Way::Forward) == (forward_sends || travel(Way::Backward).num_sent == 0);
    }
};

std::vector<std::uint32_t> slice_args(const Place& place, Way way, std::uint32_t link) {
    const std::uint32_t pages = place.input.buffer.num_pages;
    const std::uint32_t links = place.schedule.links;
    const std::uint32_t first = pages * link / links;
    const std::uint32_t end = pages * (link + 1) / links;
    const Travel travel = place.travel(way);
    return {pages,
            first,
            end - first,
            place.line.devices,
            place.position,
            way == Way::Backward ? 1U : 0U,
            travel.num_sent,
            travel.num_received,
            travel.is_last_halved ? 1U : 0U,
            place.schedule.sync_pages};
}

void set_arguments(Program& program, const Kernels& kernels, const Place& place, CoreCoord core,
                   Way way, std::uint32_t link) {
    const std::vector<std::uint32_t> slices = slice_args(place, way, link);
    const std::uint32_t is_copier = place.copies(way) ? 1 : 0;
    std::vector<std::uint32_t> reader{place.input.buffer.address, place.output.buffer.address,
                                      kernels.arrived, is_copier};
    std::vector<std::uint32_t> writer{place.output.buffer.address, place.output.buffer.page_size,
                                      kernels.arrived, is_copier};
    reader.insert(reader.end(), slices.begin(), slices.end());
    writer.insert(writer.end(), slices.begin(), slices.end());
    if (place.travel(way).num_sent != 0) {
        append_fabric_connection_rt_args(
            way == Way::Forward ? place.line.forward : place.line.backward, link, program, core,
            writer);
    }
    SetRuntimeArgs(program, kernels.reader, core, reader);
    SetRuntimeArgs(program, kernels.writer, core, writer);
}

Program make_program(const ArchSpec& arch, const Place& place) {
    const std::uint32_t columns = arch.workers.compute.columns;
    const std::uint32_t num_cores = 2 * place.schedule.links;
    std::vector<CoreRange> ranges;
    for (std::uint32_t i = 0; i < num_cores; ++i) {
        ranges.emplace_back(CoreCoord{i % columns, i / columns});
    }
    const CoreRangeSet cores(ranges);
    Program program = CreateProgram();
    create_buffer(program, cores, place.input, place.schedule);
    const Kernels kernels = create_kernels(program, cores, place.input, place.output);
    for (std::uint32_t i = 0; i < num_cores; ++i) {
        set_arguments(program, kernels, place, {i % columns, i / columns},
                      i % 2 == 0 ? Way::Forward : Way::Backward, i / 2);
    }
    return program;
}

}  // namespace

TensorSpec output_spec(const TensorSpec& input, std::uint32_t devices) {
    require(!input.shape.empty() && num_elements(input.shape) > 0,
            "{}: input is {}; it must have rank 1 or more and no extent of 0", kOp,
            describe(input));
    require(input.layout == Layout::ROW_MAJOR || input.shape.size() > 2 ||
                input.shape[0] % kTileRows == 0,
            "{}: input is {}; the rows of a TILE tensor of rank 2 must be a multiple of {}", kOp,
            describe(input), kTileRows);
    TensorSpec output = input;
    output.shape[0] *= devices;
    return output;
}

std::vector<DeviceProgram> make_programs(const ArchSpec& arch, const MeshSpec& mesh,
                                         const Inputs& inputs, const Outputs& outputs,
                                         const Schedule& schedule) {
    const Line line = line_of(mesh);
    check_schedule(arch, schedule);
    check_tensors(line.devices, inputs, outputs);
    std::vector<DeviceProgram> programs;
    for (std::uint32_t d = 0; d < line.devices; ++d) {
        programs.push_back(
            {d, make_program(arch, {line, d, inputs.inputs[d], outputs.outputs[d], schedule})});
    }
    return programs;
}

}  // namespace tessera::ops::all_gather
