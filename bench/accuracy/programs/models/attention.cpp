// SPDX-License-Identifier: Apache-2.0
// Decode attention over a paged cache with one chunk of keys per user.
// Sources
// - tt-metal models/demos/llama3_70b_galaxy/tests/unit_tests/test_llama_ops.py,
//   test_llama_tg_ScaledDotProductAttentionDecode: 32 cores from (1,0) on, position 127, blocks of
//   32 positions, chunk size by position, queries in rows, sharded like the result.
// - tests/ttnn/unit_tests/operations/sdpa/sdpa_test_utils.py: HiFi2, blocks in any order.
// - ttnn/cpp/ttnn/operations/transformer/sdpa_decode: kernels reader_decode_all, writer_decode_all
//   and sdpa_flash_decode, rt_args_common.hpp.
//
// A chunk has all keys, up to eight tiles. Position 127 gives one chunk of four tiles, so only the
// first of a user's four cores works. The other three return at once, nothing is reduced, and this
// program leaves them out. Up to 16 heads use half a tile, 16×32, in all CBs except those of keys,
// values and the result (sdpa_decode_program_factory.cpp, use_half_tile).
#include <array>

#include "bench/accuracy/bench.hpp"
#include "bench/accuracy/kernels/models/args.hpp"
#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/programs/models/shards.hpp"
#include "bench/accuracy/programs/places.hpp"
#include "bench/accuracy/units.hpp"
#include "ops/shared/program_builder.hpp"

namespace tessera::score {
namespace {

constexpr std::uint32_t kHeadTiles = 4;
constexpr std::uint32_t kKeyTiles = 4;  ///< positions 0 to 127
/// Column of the sub-device's first cores. These cores, three per row, hold queries.
constexpr std::uint32_t kFirstColumn = 1;
constexpr std::uint32_t kCoresInRow = 3;

struct Decode {
    std::uint32_t users;
    std::uint32_t heads;
    std::uint32_t positions;
    DataFormat cache;
};

Decode decode_of(const Parameters& parameters) {
    const Decode decode{parameters.count("batch"), parameters.count("q_heads"),
                        parameters.count("seq"), parameters.format("cache")};
    const std::uint32_t cores = parameters.count("cores");
    expressible(parameters.count("kv_heads") == 1 && decode.heads <= kTileSide / 2,
                "more than half a tile of heads, or keys of several");
    expressible(parameters.count("head") == kHeadTiles * kTileSide,
                "heads are not of 128 elements");
    expressible(decode.users <= cores && decode.positions >= kKeyTiles * kTileSide,
                "users without a core or without keys");
    return decode;
}

CoreRangeSet first_cores_of(std::uint32_t users) {
    std::vector<CoreRange> ranges;
    for (std::uint32_t user = 0; user < users; ++user) {
        ranges.emplace_back(CoreCoord{kFirstColumn + user % kCoresInRow, user / kCoresInRow});
    }
    return CoreRangeSet(std::move(ranges));
}

struct DecodeTensors {
    DeviceTensor queries;
    DeviceTensor keys;
    DeviceTensor values;
    DeviceTensor output;
};

DeviceTensor allocate_heads(Bench& bench, const char* name, const Decode& decode,
                            std::uint32_t rows, Layout layout) {
    const TensorSpec spec{
        {decode.users * rows, kHeadTiles * kTileSide}, DataFormat::Float16_b, layout};
    const bool is_tiled = layout == Layout::TILE;
    return bench.session().allocate_sharded(
        0, name, spec, BufferType::L1, TensorMemoryLayout::HEIGHT_SHARDED,
        {.cores = first_cores_of(decode.users),
         .shard_shape = {is_tiled ? 1 : rows, is_tiled ? kHeadTiles : 1},
         .tensor_shape = {is_tiled ? decode.users : decode.users * rows, is_tiled ? kHeadTiles : 1},
         .orientation = ShardOrientation::ROW_MAJOR,
         .noc_coords = {}});
}

DecodeTensors allocate_decode(Bench& bench, const Decode& decode) {
    const TensorSpec cache{
        {decode.users * decode.positions, kHeadTiles * kTileSide}, decode.cache, Layout::TILE};
    return {allocate_heads(bench, "queries", decode, decode.heads, Layout::ROW_MAJOR),
            bench.session().allocate(0, "keys", cache, BufferType::DRAM),
            bench.session().allocate(0, "values", cache, BufferType::DRAM),
            allocate_heads(bench, "output", decode, kTileSide, Layout::TILE)};
}

void add_decode_buffers(Program& program, const CoreRangeSet& cores, const Decode& decode,
                        const DeviceTensor& output) {
    constexpr std::uint32_t kCache = kHeadTiles * kKeyTiles;
    constexpr std::array<std::pair<std::uint8_t, std::uint32_t>, 18> kBuffers{{{0, kHeadTiles},
                                                                               {1, kCache},
                                                                               {2, kCache},
                                                                               {3, kKeyTiles},
                                                                               {5, 1},
                                                                               {8, 1},
                                                                               {10, kHeadTiles},
                                                                               {11, 1},
                                                                               {12, 1},
                                                                               {23, kHeadTiles},
                                                                               {24, kKeyTiles},
                                                                               {25, kHeadTiles},
                                                                               {26, kKeyTiles},
                                                                               {27, 1},
                                                                               {28, 1},
                                                                               {29, 1},
                                                                               {30, 1},
                                                                               {31, 1}}};
    for (const auto& [index, tiles] : kBuffers) {
        const bool is_cache = index == 1 || index == 2;
        const bool is_whole = is_cache || index == 11;
        add_cb(program, cores, index, tiles, is_cache ? decode.cache : DataFormat::Float16_b,
               is_whole ? Tile() : Tile({kTileSide / 2, kTileSide}));
    }
    add_cb_over(program, cores, 20, kHeadTiles, output);
}

/// Returns the blocks of a user's keys in arbitrary order: no two are adjacent.
std::vector<std::uint32_t> blocks_of(const Decode& decode, std::uint32_t user) {
    constexpr std::uint32_t kStep = 389;  // odd and prime: the sequence visits every block once
    const std::uint32_t blocks = decode.users * decode.positions / kTileSide;
    std::vector<std::uint32_t> found;
    for (std::uint32_t i = 0; i < kKeyTiles; ++i) {
        found.push_back((user * decode.positions / kTileSide + i) * kStep % blocks);
    }
    return found;
}

Program decode_program(const ArchSpec& arch, const Decode& decode, const DecodeTensors& tensors) {
    const CoreRangeSet cores = first_cores_of(decode.users);
    Program program = CreateProgram();
    add_decode_buffers(program, cores, decode, tensors.output);
    const DecodeReaderTensors read{.keys = &tensors.keys.buffer, .values = &tensors.values.buffer};
    const KernelHandle reads =
        CreateKernel(program, "bench/accuracy/kernels/models/decode_reader.cpp", cores,
                     ops::reader_config(ops::NoArgs{}, read));
    const KernelHandle writes =
        CreateKernel(program, "bench/accuracy/kernels/models/decode_writer.cpp", cores,
                     WriterDataMovementConfig());
    const KernelHandle maths =
        CreateKernel(program, "bench/accuracy/kernels/models/decode_compute.cpp", cores,
                     ComputeConfig{.math_fidelity = MathFidelity::HiFi2});
    SetRuntimeArgs(program, writes, cores,
                   ops::words_of(DecodeWriterArgs{
                       .key_tiles = kKeyTiles,
                       .zeros = static_cast<std::uint32_t>(arch.l1.zeros.value),
                       .zero_bytes = static_cast<std::uint32_t>(arch.l1.zeros_size.value)}));
    SetRuntimeArgs(program, maths, cores, ops::words_of(DecodeKeys{.key_tiles = kKeyTiles}));
    const std::uint32_t bytes = decode.heads * kHeadTiles * kTileSide * kElementBytes;
    const std::vector<CoreCoord> users = cores.cores();
    for (std::uint32_t user = 0; user < decode.users; ++user) {
        ops::set_args(program, reads, users[user], ops::addresses_of(read),
                      DecodeQueries{.head_tiles = kHeadTiles,
                                    .key_tiles = kKeyTiles,
                                    .address = tensors.queries.buffer.address,
                                    .bytes = bytes},
                      blocks_of(decode, user));
    }
    return program;
}

}  // namespace

Prediction predict_model_attention(const Row& row, const Parameters& parameters,
                                   const Model& model) {
    const Decode decode = decode_of(parameters);
    Bench bench(model);
    const DecodeTensors tensors = allocate_decode(bench, decode);
    return as_time(row, bench.run(decode_program(model.arch, decode, tensors)).kernel_span_cycles(),
                   model);
}

}  // namespace tessera::score
