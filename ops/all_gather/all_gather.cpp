// SPDX-License-Identifier: Apache-2.0
#include "ops/all_gather/all_gather.hpp"

#include "ops/all_gather/travel.hpp"
#include "ops/exchange/collective.hpp"
#include "ops/expect_tensor.hpp"
#include "ops/schedule_fields.hpp"
#include "ops/work_share.hpp"
#include "tessera/fabric_args.hpp"

namespace tessera::ops::all_gather {
namespace {

using config::field;
using config::Limits;

constexpr Limits kTransfer{1, 1024};  // pages
constexpr std::uint8_t kPages = 0;    // the circular buffer, as the kernels number it

std::vector<TensorPlan> infer(const OpContext& context) {
    TensorSpec output = context.inputs[0].spec;
    output.shape[0] *= static_cast<std::uint32_t>(context.devices.size());
    return {{.spec = output, .memory = context.inputs[0].memory}};
}

constexpr std::array kFields{
    field<&Schedule::links>("links", "1", "links of each direction", Limits{1, kLinksPerDirection}),
    field<&Schedule::workers>("workers", "1", "cores for each link of each direction",
                              Limits{1, 64}),
    field<&Schedule::farthest>("farthest", "half_each_way",
                               "how the farthest slice of a ring of even length travels"),
    field<&Schedule::sync_pages>("sync_pages", "4", "pages behind which the receiver is told",
                                 kTransfer),
    field<&Schedule::batch_pages>("batch_pages", "0", "pages read at a time; 0: sync_pages",
                                  Limits{0, kTransfer.most}),
    field<&Schedule::cb_depth>("cb_depth", "2", "batches in a CB", kDepth),
    field<&Schedule::algorithm>("algorithm", "pages",
                                "pages: a page a packet, into the neighbours' memory"),
    field<&Schedule::packet_tiles>("packet_tiles", "0", exchange::kPacketTilesProse,
                                   exchange::kPacketTiles),
    field<&Schedule::chunk_packets>("chunk_packets", "16", exchange::kChunkPacketsProse,
                                    exchange::kChunkPackets),
};

exchange::Travel travel_of(Algorithm algorithm) {
    switch (algorithm) {
        case Algorithm::Bidirectional:
            return exchange::Travel::Bidirectional;
        case Algorithm::Line:
            return exchange::Travel::Line;
        case Algorithm::RowsColumns:
            return exchange::Travel::RowsColumns;
        default:
            return exchange::Travel::Ring;
    }
}

exchange::Transport transport_of(const Schedule& schedule) {
    return {.links = schedule.links,
            .packet_tiles = schedule.packet_tiles,
            .chunk_packets = schedule.chunk_packets,
            .partial_sums = exchange::PartialSums::Bf16};
}

exchange::GroupPlans plans_of(const OpContext& context, std::uint32_t page_stride) {
    const auto& schedule = context.params<Schedule>();
    const TensorSpec& input = context.inputs[0].spec;
    const auto rows = exchange::part_rows(context, 1, input.shape[0]);
    std::vector<exchange::Slice> slices;
    for (const auto& [begin, bytes] : exchange::parts_of(rows, input, page_stride)) {
        slices.push_back({0, begin, bytes});
    }
    return exchange::all_gather_plans(
        {context.mesh, context.devices, schedule.links, travel_of(schedule.algorithm)}, slices);
}

void judge_whole_tiles(const OpContext& context, RuleJudge& judge) {
    const TensorSpec& input = context.inputs[0].spec;
    judge.require(input.layout == Layout::ROW_MAJOR || input.shape.size() > 2 ||
                      input.shape[0] % kTileRows == 0,
                  "input",
                  fmt::format("is {}; the rows of a TILE tensor of rank 2 must be a multiple of {}",
                              describe(input), kTileRows));
}

void exchange_rules(const OpContext& context, RuleJudge& judge) {
    const auto& schedule = context.params<Schedule>();
    const exchange::Transport transport = transport_of(schedule);
    exchange::judge_transport(context.arch, transport,
                              exchange::ways_of(travel_of(schedule.algorithm)), judge);
    exchange::judge_memory(context, judge);
    judge_whole_tiles(context, judge);
    if (schedule.algorithm == Algorithm::Line) {
        exchange::judge_line_group(context, judge);
    }
    const bool is_ragged = context.inputs.size() > 1;
    judge.require(!is_ragged || context.inputs[0].spec.layout == Layout::ROW_MAJOR, "counts",
                  "are of rows of a ROW_MAJOR tensor; the input is TILE");
    if (exchange::judge_group(context, judge) &&
        exchange::judge_bytes(infer(context)[0], "input", judge)) {
        judge_plan(judge, "devices", [&] {
            exchange::judge_plans(plans_of(context, context.inputs[0].spec.page_size()),
                                  context.devices, judge);
        });
    }
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& schedule = context.params<Schedule>();
    if (schedule.algorithm != Algorithm::Pages) {
        return exchange_rules(context, judge);
    }
    judge.require(context.inputs.size() == 1, "algorithm",
                  "is pages, which takes no counts; ring, bidirectional, line and rows_columns do");
    judge_line(context, judge);
    judge_lanes(context.arch, schedule.lanes(), judge);
    judge.require(schedule.sync_pages > 0, "sync_pages", "is 0; it must be at least 1");
    judge_depth(schedule.cb_depth, judge);
    judge_whole_tiles(context, judge);
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    const auto& schedule = context.params<Schedule>();
    if (schedule.algorithm != Algorithm::Pages) {
        return exchange::make_programs(
            context, transport_of(schedule), exchange::ways_of(travel_of(schedule.algorithm)),
            plans_of(context, context.device_inputs[0][0].buffer.aligned_page_size));
    }
    return make_programs(context.arch, context.mesh, {context.device_inputs[0]},
                         {context.device_outputs[0]}, context.params<Schedule>());
}

struct Kernels {
    KernelHandle reader;
    KernelHandle writer;
    std::uint32_t arrived;
    std::uint32_t started;
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
            CreateSemaphore(program, cores, 0), CreateSemaphore(program, cores, 0)};
}

void create_buffer(Program& program, const CoreRangeSet& cores, const DeviceTensor& input,
                   const Schedule& schedule) {
    const std::uint32_t page = input.buffer.aligned_page_size;
    CreateCircularBuffer(program, cores,
                         CircularBufferConfig(schedule.cb_depth * schedule.batch() * page,
                                              {{kPages, input.spec.format}})
                             .set_page_size(kPages, page));
}

/// One device's part.
struct Place {
    const MeshLine& line;
    std::uint32_t position;
    const DeviceTensor& input;
    const DeviceTensor& output;
    const Schedule& schedule;

    [[nodiscard]] Travel travel(Way way) const {
        return line.is_ring ? travel_on_ring(line.devices, way, schedule.farthest)
                            : travel_on_line(line.devices, position, way);
    }
    /// Devices that what this one sends reaches in the end.
    [[nodiscard]] std::uint32_t num_targets(Way way) const {
        return line.is_ring          ? travel(way).num_sent
               : way == Way::Forward ? line.devices - 1 - position
                                     : position;
    }
    /// The own pages are copied by the core that reads them anyway.
    [[nodiscard]] bool copies(Way way) const {
        const bool forward_sends = travel(Way::Forward).num_sent != 0;
        return (way == Way::Forward) == (forward_sends || travel(Way::Backward).num_sent == 0);
    }
};

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

void set_arguments(Program& program, const Kernels& kernels, const Place& place, CoreCoord core,
                   Way way, std::uint32_t lane) {
    const std::vector<std::uint32_t> slices = slice_args(place, way, lane);
    const std::uint32_t is_copier = place.copies(way) ? 1 : 0;
    std::vector<std::uint32_t> reader{place.input.buffer.address, place.output.buffer.address,
                                      kernels.arrived, is_copier};
    std::vector<std::uint32_t> writer{place.output.buffer.address,
                                      place.output.buffer.page_size,
                                      kernels.arrived,
                                      is_copier,
                                      kernels.started,
                                      place.num_targets(way)};
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
    create_buffer(program, cores, place.input, place.schedule);
    const Kernels kernels = create_kernels(program, cores, place.input, place.output);
    for (std::uint32_t lane = 0; lane < place.schedule.lanes().count(); ++lane) {
        for (const Way way : {Way::Forward, Way::Backward}) {
            set_arguments(program, kernels, place, line_core(arch, lane, way), way, lane);
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
        .programs = programs,
        .reference = [](const ReferenceContext& context) -> std::vector<HostTensor> {
            return {reference(context.read_all(0),
                              exchange::part_rows(context, 1, context.in(0).shape()[0]))};
        },
        .check_values =
            [](const ReferenceContext& context) {
                exchange::check_part_rows(kSpec.name, context, 1, context.in(0).shape()[0]);
            }};
    return kOp;
}

std::vector<DeviceProgram> make_programs(const ArchSpec& arch, const MeshSpec& mesh,
                                         const Inputs& inputs, const Outputs& outputs,
                                         const Schedule& schedule) {
    const std::span<const DeviceTensor> in[]{inputs.inputs};
    const std::span<const DeviceTensor> out[]{outputs.outputs};
    check_call(op(), arch, mesh, &schedule, in, out);
    const MeshLine line = mesh_line(mesh);
    std::vector<DeviceProgram> programs;
    for (std::uint32_t d = 0; d < line.devices; ++d) {
        programs.push_back(
            {d, make_program(arch, {line, d, inputs.inputs[d], outputs.outputs[d], schedule})});
    }
    return programs;
}

}  // namespace tessera::ops::all_gather
