// SPDX-License-Identifier: Apache-2.0
// All-to-all of MLA: joins heads that are split over devices, and splits users. 16 heads are half a
// tile high, so the halves of two devices form one tile.
// Source   tt-metal ttnn/cpp/ttnn/operations/experimental/ccl/all_to_all_async_generic:
//          all_to_all_async_generic_program_factory.cpp and its two kernels. Two cores per link run
//          them, one per direction.
//          models/demos/deepseek_v3/tests/fused_op_unit_tests/mla/test_alltoall_deepseek.py: joins
//          extent 2, splits extent 1; a ring of eight, four links; input interleaved in L1, output
//          in shards of 32 rows on 8x8 cores.
#include <array>

#include "bench/accuracy/bench.hpp"
#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/programs/places.hpp"
#include "bench/accuracy/units.hpp"
#include "ops/shared/mesh_line.hpp"
#include "tessera/fabric_args.hpp"

namespace tessera::score {
namespace {

constexpr std::uint32_t kExchangeLinks = 4;
constexpr std::uint32_t kHalfTile = kTileSide / 2;
constexpr DataFormat kHeadFormat = DataFormat::Float16_b;
constexpr std::uint32_t kHalfBytes = tile_bytes(kHeadFormat) / 2;

struct HeadExchange {
    std::uint32_t devices;
    std::uint32_t users;      ///< before the split
    std::uint32_t row_tiles;  ///< per head

    [[nodiscard]] std::uint32_t tile_rows() const { return devices / 2; }  ///< per user, joined
    [[nodiscard]] std::uint32_t own_users() const { return users / devices; }
    /// Returns the number of tiles for each device.
    [[nodiscard]] std::uint32_t blocks() const { return own_users() * row_tiles; }
};

HeadExchange exchange_of(const Parameters& parameters) {
    const std::vector<std::uint32_t> shape = parameters.shape("shape");
    const std::uint32_t devices = parameters.count("placement");
    expressible(parameters.format("dtype") == kHeadFormat, "dtype is not bfloat16");
    expressible(shape.size() == 4 && shape[0] == 1 && shape[2] == kHalfTile,
                "shape is not 1 x users x 16 x width");
    expressible(devices >= 4 && devices % 2 == 0 && shape[1] % devices == 0,
                "{} users on a ring of {}", shape[1], devices);
    return {devices, shape[1], (shape[3] + kTileSide - 1) / kTileSide};
}

/// Tiles for a device at a distance of `hops`.
struct ExchangeTarget {
    std::uint32_t device;
    std::uint32_t hops;
    std::uint32_t first;
    std::uint32_t end;
};

/// Returns the targets, the farthest first. Half of the opposite device's data goes in each
/// direction. The data that stays on this device comes last.
std::vector<ExchangeTarget> targets_of(const HeadExchange& exchange, std::uint32_t device,
                                       ops::Way way, std::uint32_t link) {
    const std::uint32_t per_link = exchange.blocks() / kExchangeLinks;
    const std::uint32_t first = link * per_link;
    const std::uint32_t end = link + 1 == kExchangeLinks ? exchange.blocks() : first + per_link;
    const std::uint32_t middle = (first + end) / 2;
    const bool is_forward = way == ops::Way::Forward;
    std::vector<ExchangeTarget> targets;
    for (std::uint32_t hops = exchange.devices / 2; hops > 0; --hops) {
        const bool is_opposite = hops == exchange.devices / 2;
        const std::uint32_t steps = is_forward ? hops : exchange.devices - hops;
        targets.push_back({(device + steps) % exchange.devices, hops,
                           is_opposite && !is_forward ? middle : first,
                           is_opposite && is_forward ? middle : end});
    }
    if (is_forward) {
        targets.push_back({device, 0, first, end});
    }
    return targets;
}

/// Inputs of one device's program.
struct ExchangePlace {
    const ArchSpec& arch;
    const MeshSpec& mesh;
    const HeadExchange& exchange;
    std::uint32_t device;
    DeviceTensor input;
    DeviceTensor output;
};

struct ExchangeSemaphores {
    std::uint32_t started;
    std::uint32_t ended;
};

/// Returns the arguments of bench/accuracy/kernels/models/all_to_all_writer.cpp that precede the
/// connection.
std::vector<std::uint32_t> setup_args(const ExchangePlace& place, std::uint32_t index,
                                      std::uint32_t num_targets,
                                      const ExchangeSemaphores& semaphores) {
    const std::uint32_t others = place.exchange.devices - 1;
    const std::uint32_t reach = index == 0 ? (others + 1) / 2 : index == 1 ? others / 2 : 0;
    const bool is_odd = place.device % 2 != 0;
    constexpr std::uint32_t kCores = 2 * kExchangeLinks;
    return {place.output.buffer.address, kHalfBytes, is_odd ? kHalfBytes : 0,
            place.exchange.row_tiles, place.exchange.tile_rows(), place.device / 2,
            semaphores.started, semaphores.ended, packed_coordinate(place.arch, {0, 0}), reach,
            others, index == 0 ? 1U : 0U,
            // Writers use NoC 1, whose multicasts go from the last core to the first.
            packed_coordinate(place.arch, {kCores - 1, 0}), packed_coordinate(place.arch, {0, 0}),
            kCores, kExchangeLinks * (place.exchange.devices + 1), num_targets};
}

void set_exchange_args(Program& program, const ExchangePlace& place, std::uint32_t index,
                       KernelHandle reads, KernelHandle writes,
                       const ExchangeSemaphores& semaphores) {
    const CoreCoord core{index, 0};
    const auto way = index % 2 == 0 ? ops::Way::Forward : ops::Way::Backward;
    const auto targets = targets_of(place.exchange, place.device, way, index / 2);
    const auto count = static_cast<std::uint32_t>(targets.size());
    std::vector<std::uint32_t> reader{place.input.buffer.address, kHalfBytes, count};
    std::vector<std::uint32_t> writer = setup_args(place, index, count, semaphores);
    append_fabric_connection_rt_args(ops::mesh_line(place.mesh).direction(way), index / 2, program,
                                     core, writer);
    for (const ExchangeTarget& target : targets) {
        const std::uint32_t offset = target.device * place.exchange.blocks();
        reader.insert(reader.end(), {offset + target.first, offset + target.end});
        writer.insert(writer.end(), {target.hops, target.first, target.end});
    }
    SetRuntimeArgs(program, reads, core, std::move(reader));
    SetRuntimeArgs(program, writes, core, std::move(writer));
}

Program exchange_program(const ExchangePlace& place) {
    constexpr std::uint32_t kPacket = 2 * tile_bytes(kHeadFormat);
    const CoreRangeSet cores(CoreRange({0, 0}, {2 * kExchangeLinks - 1, 0}));
    Program program = CreateProgram();
    CreateCircularBuffer(
        program, cores,
        CircularBufferConfig(2 * kPacket, {{0, kHeadFormat}}).set_page_size(0, kPacket));
    std::vector<std::uint32_t> input;
    std::vector<std::uint32_t> output;
    TensorAccessorArgs(place.input.buffer).append_to(input);
    TensorAccessorArgs(place.output.buffer).append_to(output);
    const KernelHandle reads =
        CreateKernel(program, "bench/accuracy/kernels/models/all_to_all_reader.cpp", cores,
                     ReaderDataMovementConfig(std::move(input)));
    const KernelHandle writes =
        CreateKernel(program, "bench/accuracy/kernels/models/all_to_all_writer.cpp", cores,
                     WriterDataMovementConfig(std::move(output)));
    const ExchangeSemaphores semaphores{CreateSemaphore(program, cores, 0),
                                        CreateSemaphore(program, cores, 0)};
    for (std::uint32_t index = 0; index < 2 * kExchangeLinks; ++index) {
        set_exchange_args(program, place, index, reads, writes, semaphores);
    }
    return program;
}

DeviceTensor allocate_output(Bench& bench, const HeadExchange& exchange, std::uint32_t device) {
    const std::uint32_t rows = exchange.own_users() * exchange.tile_rows();
    expressible(rows <= 64, "{} shards on 8x8 cores", rows);
    const TensorSpec spec{
        {rows * kTileSide, exchange.row_tiles * kTileSide}, kHeadFormat, Layout::TILE};
    return bench.session().allocate_sharded(device, "output", spec, BufferType::L1,
                                            TensorMemoryLayout::HEIGHT_SHARDED,
                                            {.cores = CoreRangeSet(CoreRange({0, 0}, {7, 7})),
                                             .shard_shape = {1, exchange.row_tiles},
                                             .tensor_shape = {rows, exchange.row_tiles},
                                             .orientation = ShardOrientation::ROW_MAJOR,
                                             .noc_coords = {}});
}

}  // namespace

Prediction predict_model_all_to_all(const Row& row, const Parameters& parameters,
                                    const Model& model) {
    const HeadExchange exchange = exchange_of(parameters);
    const MeshSpec mesh{
        .shape = {1, exchange.devices}, .topology = Topology::Ring, .device = model.arch.name};
    Bench bench(model, mesh);
    const TensorSpec input{
        {exchange.users, kTileSide, exchange.row_tiles * kTileSide}, kHeadFormat, Layout::TILE};
    std::vector<DeviceProgram> programs;
    for (std::uint32_t device = 0; device < exchange.devices; ++device) {
        const ExchangePlace place{model.arch,
                                  mesh,
                                  exchange,
                                  device,
                                  bench.session().allocate(device, "input", input, BufferType::L1),
                                  allocate_output(bench, exchange, device)};
        programs.push_back({device, exchange_program(place)});
    }
    return as_time(row, bench.run(programs).kernel_span_cycles(), model);
}

}  // namespace tessera::score
