// SPDX-License-Identifier: Apache-2.0
#include "ops/reduce_scatter/reduce_scatter.hpp"

#include "ops/exchange/collective.hpp"
#include "ops/expect_tensor.hpp"
#include "ops/schedule_fields.hpp"
#include "ops/work_share.hpp"
#include "tessera/errors.hpp"
#include "tessera/fabric_args.hpp"

namespace tessera::ops::reduce_scatter {
namespace {

using config::field;
using config::Limits;

// Circular buffers, as the kernels number them (kernels/journey.hpp).
enum : std::uint8_t { kOwn = 0, kForward = 1, kBackward = 2, kSum = 3 };

constexpr std::array kFields{
    field<&Schedule::links>("links", "1", "links of each direction", Limits{1, kLinksPerDirection}),
    field<&Schedule::workers>("workers", "1", "cores for each link of each direction",
                              Limits{1, 64}),
    field<&Schedule::sync_tiles>("sync_tiles", "8", "tiles behind which the receiver is told",
                                 Limits{1, 1024}),
    field<&Schedule::cb_depth>("cb_depth", "2", "times sync_tiles in a CB", kDepth),
    field<&Schedule::algorithm>("algorithm", "line", "line: a tile a packet, sums in memory"),
    field<&Schedule::packet_tiles>("packet_tiles", "0", exchange::kPacketTilesProse,
                                   exchange::kPacketTiles),
    field<&Schedule::chunk_packets>("chunk_packets", "16", exchange::kChunkPacketsProse,
                                    exchange::kChunkPackets),
    field<&Schedule::partial_sums>("partial_sums", "bf16",
                                   "format of partial sums on the links; line: bf16"),
};

exchange::Travel travel_of(Algorithm algorithm) {
    switch (algorithm) {
        case Algorithm::Bidirectional:
            return exchange::Travel::Bidirectional;
        case Algorithm::RowsColumns:
            return exchange::Travel::RowsColumns;
        default:
            return exchange::Travel::Ring;
    }
}

exchange::Transport transport_of(const Schedule& schedule) {
    return {schedule.links, schedule.packet_tiles, schedule.chunk_packets, schedule.partial_sums};
}

exchange::GroupPlans plans_of(const OpContext& context, std::uint32_t page_stride) {
    const auto& schedule = context.params<Schedule>();
    const TensorSpec& input = context.inputs[0].spec;
    const auto rows = exchange::part_rows(
        context, 1, input.shape[0] / static_cast<std::uint32_t>(context.devices.size()));
    std::vector<exchange::Slice> slices;
    for (const auto& [begin, bytes] : exchange::parts_of(rows, input, page_stride)) {
        slices.push_back({begin, 0, bytes});
    }
    return exchange::reduce_scatter_plans(
        {context.mesh, context.devices, schedule.links, travel_of(schedule.algorithm)}, slices);
}

void judge_whole_tiles(const OpContext& context, RuleJudge& judge) {
    const TensorSpec& input = context.inputs[0].spec;
    const auto devices = static_cast<std::uint32_t>(context.devices.size());
    judge.require(
        input.layout == Layout::ROW_MAJOR || input.shape[0] % (kTileRows * devices) == 0, "input",
        fmt::format("is {}; its rows must be a multiple of {}, whole tiles for each of {} devices",
                    describe(input), kTileRows * devices, devices));
}

void exchange_rules(const OpContext& context, RuleJudge& judge) {
    const auto& schedule = context.params<Schedule>();
    exchange::judge_transport(context.arch, transport_of(schedule),
                              exchange::ways_of(travel_of(schedule.algorithm)), judge);
    exchange::judge_memory(context, judge);
    judge_whole_tiles(context, judge);
    judge.require(context.inputs.size() == 1 || context.inputs[0].spec.layout == Layout::ROW_MAJOR,
                  "counts", "are of rows of a ROW_MAJOR tensor; the input is TILE");
    if (exchange::judge_group(context, judge) &&
        exchange::judge_bytes(context.inputs[0], "input", judge)) {
        judge_plan(judge, "devices", [&] {
            exchange::judge_plans(plans_of(context, context.inputs[0].spec.page_size()),
                                  context.devices, judge);
        });
    }
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& schedule = context.params<Schedule>();
    if (schedule.algorithm != Algorithm::Line) {
        return exchange_rules(context, judge);
    }
    judge.require(context.inputs.size() == 1, "algorithm",
                  "is line, which takes no counts; ring, bidirectional and rows_columns do");
    judge.require(context.inputs[0].spec.layout == Layout::TILE, "algorithm",
                  "is line, which takes TILE; ring, bidirectional and rows_columns take both");
    judge_line(context, judge);
    judge_lanes(context.arch, schedule.lanes(), judge);
    judge.require(schedule.sync_tiles > 0, "sync_tiles", "is 0; it must be at least 1");
    judge_depth(schedule.cb_depth, judge);
    judge_whole_tiles(context, judge);
}

std::vector<TensorPlan> infer(const OpContext& context) {
    TensorSpec output = context.inputs[0].spec;
    output.shape[0] /= static_cast<std::uint32_t>(context.devices.size());
    return {{.spec = output, .memory = context.inputs[0].memory}};
}

/// Line: where partial sums from the device before, and from the one behind, arrive. Rows and
/// columns: sums of a row.
std::vector<TensorPlan> workspaces(const OpContext& context) {
    const Algorithm algorithm = context.params<Schedule>().algorithm;
    const TensorPlan partial{.spec = context.inputs[0].spec, .memory = context.inputs[0].memory};
    if (algorithm != Algorithm::Line) {
        return std::vector(algorithm == Algorithm::RowsColumns ? 1 : 0, partial);
    }
    return {partial, partial};
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    const auto& out = context.device_outputs;
    const auto& schedule = context.params<Schedule>();
    if (schedule.algorithm != Algorithm::Line) {
        return exchange::make_programs(
            context, transport_of(schedule), exchange::ways_of(travel_of(schedule.algorithm)),
            plans_of(context, context.device_inputs[0][0].buffer.aligned_page_size));
    }
    return make_programs(context.arch, context.mesh, {context.device_inputs[0]},
                         {out[0], out[1], out[2]}, context.params<Schedule>());
}

void check_partials(std::string_view name, std::span<const DeviceTensor> tensors,
                    std::span<const DeviceTensor> inputs) {
    require(tensors.size() == inputs.size(),
            "{}: {} tensors {}; it must be one for each of {} devices", kSpec.name, tensors.size(),
            name, inputs.size());
    for (std::size_t d = 0; d < tensors.size(); ++d) {
        expect_tensor(kSpec.name, fmt::format("{} of device {}", name, d), tensors[d],
                      inputs[d].spec);
        require(tensors[d].buffer.device == d,
                "{}: {} at place {} is on device {}; it must be on device {}", kSpec.name, name, d,
                tensors[d].buffer.device, d);
    }
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
    for (std::uint32_t lane = 0; lane < place.schedule.lanes().count(); ++lane) {
        for (const Way way : {Way::Forward, Way::Backward}) {
            set_arguments(program, kernels, place, way, lane);
        }
    }
    return program;
}

}  // namespace

const Op& op() {
    static const Op kOp{
        .spec = kSpec,
        .params = parameters<Schedule>(kFields),
        .schedule =
            [](const void* schedule) {
                return config::Value<Algorithm>::show(
                    static_cast<const Schedule*>(schedule)->algorithm);
            },
        .rules = rules,
        .infer = infer,
        .workspaces = workspaces,
        .programs = programs,
        .reference = [](const ReferenceContext& context) -> std::vector<HostTensor> {
            const auto whole = context.read_all(0);
            const auto devices = static_cast<std::uint32_t>(whole.size());
            return {reference(whole, static_cast<std::uint32_t>(context.position),
                              exchange::part_rows(context, 1, whole[0].shape[0] / devices))};
        },
        .check_values =
            [](const ReferenceContext& context) {
                const auto devices = static_cast<std::uint32_t>(context.inputs[0].size());
                exchange::check_part_rows(kSpec.name, context, 1,
                                          context.in(0).shape()[0] / devices);
            }};
    return kOp;
}

std::vector<DeviceProgram> make_programs(const ArchSpec& arch, const MeshSpec& mesh,
                                         const Inputs& inputs, const Outputs& outputs,
                                         const Schedule& schedule) {
    const std::span<const DeviceTensor> in[]{inputs.inputs};
    const std::span<const DeviceTensor> out[]{outputs.outputs};
    check_call(op(), arch, mesh, &schedule, in, out);
    check_partials("partial_forward", outputs.partial_forward, inputs.inputs);
    check_partials("partial_backward", outputs.partial_backward, inputs.inputs);
    const MeshLine line = mesh_line(mesh);
    std::vector<DeviceProgram> programs;
    for (std::uint32_t d = 0; d < line.devices; ++d) {
        programs.push_back({d, make_program({arch, line, d, inputs, outputs, schedule})});
    }
    return programs;
}

}  // namespace tessera::ops::reduce_scatter
