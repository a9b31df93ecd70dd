// SPDX-License-Identifier: Apache-2.0
#include "ops/all_reduce/all_reduce.hpp"

#include <algorithm>

#include "emu/base/round_up.hpp"
#include "ops/all_reduce/kernels/args.hpp"
#include "ops/bound.hpp"
#include "ops/shared/exchange/collective.hpp"
#include "ops/shared/exchange/ring.hpp"
#include "ops/shared/mesh_line.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "ops/shared/work_share.hpp"
#include "tessera/fabric_args.hpp"

namespace tessera::ops::all_reduce {
namespace {

/// Both indexed by device id, all of the mesh's devices.
struct Inputs {
    std::span<const DeviceTensor> inputs;
};

struct Outputs {
    std::span<const DeviceTensor> outputs;
};

using config::field;

constexpr const char* kOp = "all_reduce";
constexpr std::uint32_t kLongestPiece = 8192;  // bytes: one packet of the smaller NoC

struct Semaphores {
    std::uint32_t sum_arrived;
    std::uint32_t sum_credit;
    std::uint32_t gathered_arrived;
    std::uint32_t gathered_credit;
};

/// Kernels and semaphores that all cores of one device share.
struct RingKernels {
    KernelHandle reader;
    KernelHandle compute;
    KernelHandle writer;
    Semaphores semaphores;
};

constexpr std::array kFields{
    field<&AllReduceSpec::algorithm>("algorithm", "bidirectional",
                                     "bidirectional: half of the sums in each direction; ring: one "
                                     "direction, a tile per packet"),
    field<&AllReduceSpec::partial_sums>("partial_sums", "fp32",
                                        "format of partial sums that are sent or stored"),
    field<&AllReduceSpec::cb_depth>("cb_depth", "2", "pages in a CB", kDepth),
    field<&AllReduceSpec::links>("links", "4", "links of each direction; ring: always 4",
                                 config::Limits{1, kLinksPerDirection}),
    field<&AllReduceSpec::packet_tiles>("packet_tiles", "0", exchange::kPacketTilesProse,
                                        exchange::kPacketTiles),
    field<&AllReduceSpec::chunk_packets>("chunk_packets", "0", exchange::kChunkPacketsProse,
                                         exchange::kChunkPackets),
};

exchange::Travel travel_of(AllReduceAlgorithm algorithm) {
    switch (algorithm) {
        case AllReduceAlgorithm::Line:
            return exchange::Travel::Line;
        case AllReduceAlgorithm::RowsColumns:
            return exchange::Travel::RowsColumns;
        case AllReduceAlgorithm::Tree:
            // Ring has its own kernels and does not come here.
            return exchange::Travel::Tree;
        default:
            return exchange::Travel::Bidirectional;
    }
}

exchange::Collective collective_of(const OpContext& context) {
    const auto& spec = context.params<AllReduceSpec>();
    // A plan covers padded pages: padding is summed along with the data, so that plans need no
    // rows.
    return {.travel = travel_of(spec.algorithm),
            .transport = {spec.links, spec.packet_tiles, spec.chunk_packets, spec.partial_sums},
            .plans = [pages = context.inputs[only(kInputs)].spec.num_pages()](
                         const exchange::Exchange& exchange, std::uint32_t page_stride) {
                return exchange::all_reduce_plans(exchange, pages * page_stride);
            }};
}

/// Keys that change nothing with an algorithm.
std::span<const std::string_view> untaken_by(AllReduceAlgorithm algorithm) {
    static constexpr std::array<std::string_view, 3> kRing{"links", "packet_tiles",
                                                           "chunk_packets"};
    static constexpr std::array<std::string_view, 1> kPackets{"cb_depth"};
    if (algorithm == AllReduceAlgorithm::Ring) {
        return kRing;
    }
    return kPackets;
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<AllReduceSpec>();
    judge_untaken(kFields, &spec, untaken_by(spec.algorithm),
                  config::Value<AllReduceAlgorithm>::show(spec.algorithm), judge);
    if (spec.algorithm != AllReduceAlgorithm::Ring) {
        return exchange::judge_collective(context, collective_of(context),
                                          context.inputs[only(kInputs)], judge);
    }
    judge_depth(spec.cb_depth, judge);
    if (judge_whole_mesh(context, judge) && context.devices.size() > 1) {
        // A ring may need a longer route than a packet's header holds.
        judge_plan(judge, "devices", [&] { (void)exchange::make_ring(context.mesh); });
    }
}

std::uint32_t num_tiles(const Buffer& buffer) {
    // Padded bytes count: tiles are cut from memory as it is, without regard to rows.
    const std::uint64_t bytes = std::uint64_t{buffer.num_pages} * buffer.aligned_page_size;
    return static_cast<std::uint32_t>(div_up(bytes, tile_bytes(DataFormat::Float16_b)));
}

// Shares the tiles: one core for each link, fewer if a core would have less than a tile for each
// device.
SharedWork share_tiles(const ArchSpec& arch, std::uint32_t tiles, std::uint32_t devices) {
    const GridSize grid = arch.workers.compute;
    // More cores than links would share the links.
    const std::uint32_t most = std::min(kLinksPerDirection, grid.columns);
    return share_work(kOp, arch, {std::clamp(tiles / devices, 1U, most), 1}, tiles);
}

void create_buffers(Program& program, const CoreRangeSet& cores, const AllReduceSpec& schedule) {
    const DataFormat partial =
        schedule.partial_sums == PartialSums::Fp32 ? DataFormat::Float32 : DataFormat::Float16_b;
    const std::uint32_t depth = schedule.cb_depth;
    const auto add = [&](Cb cb, DataFormat format, std::uint32_t tiles) {
        add_circular_buffer(program, cores, cb, format, {tiles, tile_bytes(format)});
    };
    add(Cb::Local, DataFormat::Float16_b, depth);
    // Slots hold two chunks: the device before fills one while the other is being added.
    add(Cb::Received, partial, 2 * depth);
    add(Cb::Partial, partial, depth);
    add(Cb::Reduced, DataFormat::Float16_b, depth);
    add(Cb::Gathered, DataFormat::Float16_b, 2 * depth);
}

RingKernels create_kernels(Program& program, const CoreRangeSet& cores, const DeviceTensor& input,
                           const DeviceTensor& output, const AllReduceSpec& schedule) {
    ComputeConfig compute{.fp32_dest_acc_en = true};
    // Float32 sums must reach DST unrounded; through a source register they would lose 13 bits.
    if (schedule.partial_sums == PartialSums::Fp32) {
        unpack_to_fp32(compute, Cb::Received);
    }
    return {CreateKernel(program, "ops/all_reduce/kernels/reader.cpp", cores,
                         reader_config(NoArgs{}, ReaderTensors{.input = &input.buffer})),
            CreateKernel(program, "ops/all_reduce/kernels/compute.cpp", cores, compute),
            CreateKernel(program, "ops/all_reduce/kernels/writer.cpp", cores,
                         writer_config(NoArgs{}, WriterTensors{.output = &output.buffer})),
            {CreateSemaphore(program, cores, 0), CreateSemaphore(program, cores, 0),
             CreateSemaphore(program, cores, 0), CreateSemaphore(program, cores, 0)}};
}

std::vector<std::uint32_t> connection_words(Program& program, const exchange::RingPlace& place,
                                            CoreCoord core, std::uint32_t link) {
    std::vector<std::uint32_t> words;
    append_fabric_connection_rt_args(place.to_next.direction, link, program, core, words);
    // On a ring of two devices both neighbours are in the same direction, and one connection serves
    // both.
    if (place.to_next.direction != place.to_previous.direction) {
        append_fabric_connection_rt_args(place.to_previous.direction, link, program, core, words);
    }
    return words;
}

/// A device's place in the ring, and its tensors.
struct RingDevice {
    std::span<const exchange::RingPlace> ring;
    std::uint32_t position;
    const DeviceTensor& input;
    const DeviceTensor& output;
};

void set_arguments(Program& program, const RingKernels& kernels, const RingDevice& device,
                   const SliceArgs& slice, CoreCoord core, std::uint32_t link) {
    const auto& [sum_arrived, sum_credit, gathered_arrived, gathered_credit] = kernels.semaphores;
    const Buffer& pages = device.input.buffer;
    const RowArgs rows{.num_rows = pages.num_pages,
                       .row_bytes = pages.page_size,
                       .row_stride = pages.aligned_page_size};
    const exchange::RingPlace& place = device.ring[device.position];
    // The same question as in connection_words(): it decides how many connections follow. Slots are
    // the pages of the buffer of received tiles.
    const bool has_connection_back = place.to_next.direction != place.to_previous.direction;
    set_args(program, kernels.reader, core,
             addresses_of(ReaderTensors{.input = &device.input.buffer}), slice, rows,
             ReaderCore{.sum_arrived_semaphore = sum_arrived,
                        .gathered_arrived_semaphore = gathered_arrived});
    set_args(program, kernels.compute, core, slice);
    set_args(program, kernels.writer, core,
             addresses_of(WriterTensors{.output = &device.output.buffer}), slice, rows,
             WriterCore{.sum_arrived_semaphore = sum_arrived,
                        .sum_credit_semaphore = sum_credit,
                        .gathered_arrived_semaphore = gathered_arrived,
                        .gathered_credit_semaphore = gathered_credit,
                        .num_slots = 2 * slice.chunk_limit,
                        .next_hops = place.to_next.hops,
                        .previous_hops = place.to_previous.hops,
                        .has_connection_back = has_connection_back ? 1U : 0U},
             connection_words(program, place, core, link));
}

Program make_ring_program(const SharedWork& work, const RingDevice& device,
                          const AllReduceSpec& schedule) {
    Program program = CreateProgram();
    create_buffers(program, work.cores, schedule);
    const RingKernels kernels =
        create_kernels(program, work.cores, device.input, device.output, schedule);
    for (std::uint32_t link = 0; link < work.shares.size(); ++link) {
        const auto& [core, first, count] = work.shares[link];
        const SliceArgs slice{.first_tile = first,
                              .num_tiles = count,
                              .num_devices = static_cast<std::uint32_t>(device.ring.size()),
                              .position = device.position,
                              .chunk_limit = schedule.cb_depth};
        set_arguments(program, kernels, device, slice, core, link);
    }
    return program;
}

Program make_copy_program(const ArchSpec& arch, const DeviceTensor& input,
                          const DeviceTensor& output) {
    const Buffer& rows = input.buffer;
    const SharedWork work = share_work(kOp, arch, {}, rows.num_pages);
    // A longer row passes in pieces, so that L1 does not limit its length.
    const std::uint32_t piece = std::min(rows.aligned_page_size, kLongestPiece);
    Program program = CreateProgram();
    add_circular_buffer(program, work.cores, CopyCb::Piece, DataFormat::Float16_b, {1, piece});
    const CopyTensors tensors{.input = &input.buffer, .output = &output.buffer};
    const KernelHandle copy = CreateKernel(program, "ops/all_reduce/kernels/copy.cpp", work.cores,
                                           reader_config(NoArgs{}, tensors));
    for (const auto& [core, first, count] : work.shares) {
        set_args(program, copy, core, addresses_of(tensors),
                 CopyRange{.first_row = first,
                           .num_rows = count,
                           .row_bytes = rows.page_size,
                           .piece_bytes = piece});
    }
    return program;
}

std::vector<DeviceProgram> make_programs(const ArchSpec& arch, const MeshSpec& mesh,
                                         const Inputs& inputs, const Outputs& outputs,
                                         const AllReduceSpec& schedule) {
    const std::uint32_t devices = mesh.shape.num_devices();
    // One device has no other part to add: the output is a copy.
    if (devices == 1) {
        return {{0, make_copy_program(arch, inputs.inputs.front(), outputs.outputs.front())}};
    }
    const std::vector<exchange::RingPlace> ring = exchange::make_ring(mesh);
    const SharedWork work = share_tiles(arch, num_tiles(inputs.inputs.front().buffer), devices);
    std::vector<DeviceProgram> programs(devices);
    for (std::uint32_t position = 0; position < devices; ++position) {
        // The ring numbers devices by their place in it, the programs by their id.
        const std::uint32_t device = ring[position].device;
        programs[device] = {
            device,
            make_ring_program(
                work, {ring, position, inputs.inputs[device], outputs.outputs[device]}, schedule)};
    }
    return programs;
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    const auto& spec = context.params<AllReduceSpec>();
    if (spec.algorithm != AllReduceAlgorithm::Ring) {
        return exchange::collective_programs(context, collective_of(context));
    }
    return make_programs(context.arch, context.mesh, {context.device_inputs[only(kInputs)]},
                         {context.device_outputs[only(kOutputs)]}, context.params<AllReduceSpec>());
}

LeastWork bound(const BoundContext& context) {
    // Reduce-scatter and all-gather, which move the fewest bytes: (n − 1) / n of a tensor each.
    LeastWork work = operand_bytes(context);
    work.link_bytes =
        2 * share_of_others(context) *
        bytes_of_elements(static_cast<double>(num_elements(context.in(only(kInputs)).shape)),
                          context.in(only(kInputs)).format);
    return work;
}

}  // namespace

const Op& op() {
    static const Op kOp{
        .spec = kSpec,
        .params = parameters<AllReduceSpec>(kFields),
        .schedule =
            [](const OpContext& context) {
                return config::Value<AllReduceAlgorithm>::show(
                    context.params<AllReduceSpec>().algorithm);
            },
        .rules = rules,
        .infer = [](const OpContext& context) -> std::vector<TensorPlan> {
            return {{.spec = context.inputs[only(kInputs)].spec,
                     .memory = context.inputs[only(kInputs)].memory}};
        },
        .workspaces = [](const OpContext& context) -> std::vector<TensorPlan> {
            if (context.params<AllReduceSpec>().algorithm == AllReduceAlgorithm::Ring) {
                return {};
            }
            return exchange::collective_workspaces(context, collective_of(context));
        },
        .programs = programs,
        .bound = bound,
        .reference = reference};
    return kOp;
}

}  // namespace tessera::ops::all_reduce
