// SPDX-License-Identifier: Apache-2.0
// All-reduce of decode on a Galaxy. Activations in shards of L1 are sent to all devices of a row or
// column, into a persistent buffer. Each core sums the arrived data of its shard.
// Source   tt-metal ttnn/cpp/ttnn/operations/experimental/ccl/all_reduce_async:
//          all_reduce_async_program_factory.cpp and its kernels worker_reader, worker_writer,
//          reduction_receiver and reduction.
#include <algorithm>
#include <array>

#include "bench/accuracy/bench.hpp"
#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/programs/models/shards.hpp"
#include "bench/accuracy/programs/places.hpp"
#include "bench/accuracy/units.hpp"
#include "ops/shared/mesh_line.hpp"
#include "tessera/fabric_args.hpp"

namespace tessera::score {
namespace {

constexpr std::uint8_t kSent = 0;
constexpr std::uint8_t kArrived = 1;
constexpr std::uint8_t kSum = 2;
constexpr DataFormat kLogitFormat = DataFormat::Bfp8_b;

/// One all-reduce whose input and output have the same shards.
struct AllReduce {
    std::string_view workload;
    std::string_view section;
    std::uint32_t devices;
    std::uint32_t links;
    std::uint32_t shards;
    std::uint32_t shard_tiles;
};

// The logits: 155648 words of the padded vocabulary over 8 devices, resharded to 32 cores, summed
// over the 4 devices of the other axis; BFP8.
// Source   tt-metal models/demos/llama3_70b_galaxy/tt/lm_head.py (reshard, all-reduce along axis 1,
//          dtype), llama_ccl.py (get_persistent_buffers: (155648 // 8) // 32 columns a device in a
//          shard), qwen_model_config.py (LM_HEAD_OUT_RING_RESHARD_MEMCFG; 6U: a ring of 4 links).
//
// Both rows use a ring. A line of three links, as in a Galaxy 4U, is too slow for the stated time:
// its last link carries 661 KB, which takes 53 us at 12.5 GB/s.
constexpr std::array<AllReduce, 1> kAllReduces{
    {{"Qwen3-32B decode op AllReduceAsync_0", "model_tail", 4, 4, 32, 19}}};

const AllReduce& all_reduce_of(const Row& row, const Parameters& parameters) {
    const auto* const found = std::ranges::find_if(kAllReduces, [&](const AllReduce& candidate) {
        return candidate.workload == row.workload &&
               candidate.section == parameters.text("section");
    });
    expressible(found != kAllReduces.end(), "shards of this all-reduce are not stated");
    return *found;
}

/// Returns the decode cores that hold logits, then the other cores of their sub-device, row by row.
/// Source   tt-metal models/demos/llama3_70b_galaxy/tt/model_config.py, LM_HEAD_32_GRID and
///          sub_core_grids; ar_choose_worker_cores of the factory.
const CoreRangeSet& shard_grid() {
    static const CoreRangeSet kGrid({CoreRange({1, 0}, {1, 9}), CoreRange({2, 0}, {2, 9}),
                                     CoreRange({3, 0}, {3, 9}), CoreRange({5, 0}, {5, 1})});
    return kGrid;
}
constexpr std::array<CoreCoord, 4> kSenders{{{6, 0}, {6, 1}, {5, 2}, {6, 2}}};

CoreRangeSet reduce_cores(std::span<const CoreCoord> cores) {
    std::vector<CoreRange> ranges(cores.begin(), cores.end());
    return CoreRangeSet(std::move(ranges));
}

/// Inputs of one device's program.
struct ReducePlace {
    const ArchSpec& arch;
    const MeshSpec& mesh;
    const AllReduce& op;
    std::uint32_t device = 0;
    DeviceTensor input{};
    DeviceTensor buffer{};
    DeviceTensor output{};
};

/// Returns the number of devices reached in one direction. Every second device of a ring reaches
/// one more forward, each other device one more backward.
/// Source   tt-metal ttnn/cpp/ttnn/operations/ccl/ccl_common.cpp,
///          get_forward_backward_line_mcast_distance with static_alternate.
std::uint32_t reach_of(const ReducePlace& place, ops::Way way) {
    const std::uint32_t others = place.op.devices - 1;
    const bool is_longer = (place.device % 2 != 0) == (way == ops::Way::Forward);
    return is_longer ? (others + 1) / 2 : others / 2;
}

DeviceTensor allocate(Bench& bench, const ReducePlace& place, const char* name,
                      std::uint32_t blocks) {
    const std::uint32_t tiles = blocks * place.op.shard_tiles;
    const TensorSpec spec{
        {kTileSide, tiles * place.op.shards * kTileSide}, kLogitFormat, Layout::TILE};
    return bench.session().allocate_sharded(place.device, name, spec, BufferType::L1,
                                            TensorMemoryLayout::WIDTH_SHARDED,
                                            {.cores = shard_grid(),
                                             .shard_shape = {1, tiles},
                                             .tensor_shape = {1, tiles * place.op.shards},
                                             .orientation = ShardOrientation::ROW_MAJOR,
                                             .noc_coords = {}});
}

/// Returns the cores whose shards one link carries.
std::vector<std::uint32_t> shards_of_link(const ReducePlace& place, std::uint32_t link) {
    const std::uint32_t per_link = place.op.shards / place.op.links;
    const std::vector<CoreCoord> cores = shard_grid().cores();
    std::vector<std::uint32_t> words;
    for (std::uint32_t i = link * per_link; i < (link + 1) * per_link; ++i) {
        words.push_back(packed_coordinate(place.arch, cores[i]));
    }
    return words;
}

void append_way(Program& program, const ReducePlace& place, std::uint32_t link, ops::Way way,
                std::vector<std::uint32_t>& args) {
    args.push_back(reach_of(place, way));
    if (reach_of(place, way) != 0) {
        append_fabric_connection_rt_args(ops::mesh_line(place.mesh).direction(way), link, program,
                                         kSenders[link], args);
    }
}

void add_sender(Program& program, const ReducePlace& place, std::uint32_t link,
                std::uint32_t arrived) {
    // Source   tt-metal: get_tt_fabric_channel_buffer_size_bytes, four tiles of BFP8.
    constexpr std::uint32_t kPacketTiles = 4;
    const CoreCoord core = kSenders[link];
    const std::vector<std::uint32_t> shards = shards_of_link(place, link);
    const auto count = static_cast<std::uint32_t>(shards.size());
    const KernelHandle reads = CreateKernel(
        program, "bench/accuracy/kernels/models/all_reduce_reader.cpp", core,
        DataMovementConfig{.processor = DataMovementProcessor::RISCV_1, .noc = NOC::NOC_1});
    const KernelHandle writes = CreateKernel(
        program, "bench/accuracy/kernels/models/all_reduce_writer.cpp", core,
        DataMovementConfig{.processor = DataMovementProcessor::RISCV_0, .noc = NOC::NOC_0});
    std::vector<std::uint32_t> reader{place.input.buffer.address, place.op.shard_tiles, count};
    reader.insert(reader.end(), shards.begin(), shards.end());
    const std::uint32_t own = place.buffer.buffer.address +
                              place.device * place.op.shard_tiles * tile_bytes(kLogitFormat);
    std::vector<std::uint32_t> writer{own, place.op.shard_tiles, kPacketTiles, arrived, count};
    writer.insert(writer.end(), shards.begin(), shards.end());
    append_way(program, place, link, ops::Way::Forward, writer);
    append_way(program, place, link, ops::Way::Backward, writer);
    SetRuntimeArgs(program, reads, core, std::move(reader));
    SetRuntimeArgs(program, writes, core, std::move(writer));
}

void add_sums(Program& program, const ReducePlace& place, std::uint32_t arrived) {
    const std::uint32_t tiles = place.op.shard_tiles;
    const KernelHandle receives = CreateKernel(
        program, "bench/accuracy/kernels/models/all_reduce_receiver.cpp", shard_grid(),
        DataMovementConfig{.processor = DataMovementProcessor::RISCV_1, .noc = NOC::NOC_1});
    const KernelHandle sums = CreateKernel(
        program, "bench/accuracy/kernels/models/all_reduce_sum.cpp", shard_grid(), ComputeConfig{});
    SetRuntimeArgs(program, receives, shard_grid(),
                   {arrived, place.op.devices, place.op.devices * tiles});
    SetRuntimeArgs(program, sums, shard_grid(), {place.op.devices, tiles});
}

Program reduce_program(const ReducePlace& place) {
    Program program = CreateProgram();
    const CoreRangeSet senders = reduce_cores(std::span(kSenders).first(place.op.links));
    const std::uint32_t per_link = place.op.shards / place.op.links * place.op.shard_tiles;
    add_cb(program, senders, kSent, per_link, kLogitFormat);
    add_cb_over(program, shard_grid(), kArrived, place.op.devices * place.op.shard_tiles,
                place.buffer);
    add_cb_over(program, shard_grid(), kSum, place.op.shard_tiles, place.output);
    std::vector<CoreCoord> all = shard_grid().cores();
    all.insert(all.end(), kSenders.begin(), kSenders.end());
    const std::uint32_t arrived = CreateSemaphore(program, reduce_cores(all), 0);
    for (std::uint32_t link = 0; link < place.op.links; ++link) {
        add_sender(program, place, link, arrived);
    }
    add_sums(program, place, arrived);
    return program;
}

}  // namespace

Prediction predict_model_all_reduce(const Row& row, const Parameters& parameters,
                                    const Model& model) {
    const AllReduce& op = all_reduce_of(row, parameters);
    const MeshSpec mesh{
        .shape = {1, op.devices}, .topology = Topology::Ring, .device = model.arch.name};
    Bench bench(model, mesh);
    std::vector<DeviceProgram> programs;
    for (std::uint32_t device = 0; device < op.devices; ++device) {
        ReducePlace place{model.arch, mesh, op, device};
        place.input = allocate(bench, place, "input", 1);
        place.buffer = allocate(bench, place, "buffer", op.devices);
        place.output = allocate(bench, place, "output", 1);
        programs.push_back({device, reduce_program(place)});
    }
    return as_time(row, bench.run(programs).kernel_span_cycles(), model);
}

}  // namespace tessera::score
