// SPDX-License-Identifier: Apache-2.0
// Ops of DeepSeek's latent attention that move tiles of tensors interleaved over L1. The figures
// are profiler times of traced runs, from the first kernel's start to the last kernel's end.
// Sources
// - tt-metal models/demos/deepseek_v3/tests/fused_op_unit_tests/mla: test_mesh_partition.py,
//   test_slice_deepseek.py, test_slice_q_rope_nope.py and test_permute_deepseek.py for shapes,
//   L1_MEMORY_CONFIG of inputs and outputs, bfloat16 tiles.
// - ttnn/cpp/ttnn/operations: ccl/mesh_partition uses the program of data_movement/slice
//   (slice_program_factory_tile.cpp). data_movement/permute/permute.cpp uses one of
//   data_movement/transpose (transpose_cn_program_factory.cpp,
//   transpose_hc_tiled_interleaved_program_factory.cpp).
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "bench/accuracy/kernels/models/args.hpp"
#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/programs/models/shards.hpp"
#include "bench/accuracy/programs/models/tile_moves.hpp"
#include "bench/accuracy/programs/places.hpp"
#include "bench/accuracy/units.hpp"
#include "ops/shared/program_builder.hpp"

namespace tessera::score {
namespace {

using ops::SharedWork;
using ops::WorkShare;

constexpr std::uint8_t kFillerCb = 1;
constexpr std::uint32_t kCbTiles = 2;

std::uint32_t tiles_across(std::uint32_t elements) {
    return (elements + kTileSide - 1) / kTileSide;
}

/// Copies tiles unchanged, one after the other.
Program copy_program(const ArchSpec& arch, const Move& move, const Runs& runs, EachPage each) {
    const std::uint32_t tiles = move.output.buffer.num_pages;
    const SharedWork work = ops::share_work("copy", arch, {}, tiles);
    Program program = CreateProgram();
    add_cb(program, work.cores, kTilesCb, kCbTiles, move.input.spec.format);
    add_tile_reader(program, work, move.input.buffer, runs);
    add_tile_writer(program, work, move.output.buffer, kTilesCb, 1, each);
    return program;
}

/// Number of devices that share the tensor in the test: [1, 32, 64, 576] becomes [1, 4, 64, 576].
constexpr std::uint32_t kPartitions = 8;

/// Extracts the first device's part, which consists of adjacent tiles.
Program partition_program(Bench& bench, const TensorSpec& input) {
    TensorSpec output = input;
    expressible(input.shape[0] == 1 && input.shape[1] % kPartitions == 0,
                "extents {} and {} are not parted among {} devices", input.shape[0], input.shape[1],
                kPartitions);
    output.shape[1] /= kPartitions;
    const Move move = allocate_move(bench, input, output);
    return copy_program(bench.arch(), move, {.length = move.output.buffer.num_pages},
                        EachPage::Flushed);
}

/// Slices the columns [first, first + count).
template <std::uint32_t first, std::uint32_t count>
Program column_slice_program(Bench& bench, const TensorSpec& input) {
    static_assert(first % kTileSide == 0 && count % kTileSide == 0);
    expressible(input.shape[3] >= first + count, "rows have {} columns, not {}", input.shape[3],
                first + count);
    TensorSpec output = input;
    output.shape[3] = count;
    const Runs runs{.first = first / kTileSide,
                    .length = count / kTileSide,
                    .skipped = tiles_across(input.shape[3]) - count / kTileSide};
    return copy_program(bench.arch(), allocate_move(bench, input, output), runs, EachPage::Flushed);
}

/// Swaps batches and channels. Tiles are unchanged. With one batch or one channel their order is
/// unchanged too.
Program transpose_cn_program(Bench& bench, const TensorSpec& input) {
    TensorSpec output = input;
    std::swap(output.shape[0], output.shape[1]);
    expressible(input.shape[0] == 1 || input.shape[1] == 1,
                "{} batches and {} channels: only one or the other may be several", input.shape[0],
                input.shape[1]);
    const Move move = allocate_move(bench, input, output);
    return copy_program(bench.arch(), move, {.length = move.output.buffer.num_pages},
                        EachPage::BehindBarrier);
}

/// Distribution of input tiles and of padded output tiles over cores, from the first core on.
struct RowMoves {
    SharedWork tiles;
    SharedWork filled;
};

/// Adds empty shares for cores without tiles.
void widen(SharedWork& work, const SharedWork& other) {
    for (std::size_t i = work.shares.size(); i < other.shares.size(); ++i) {
        work.shares.push_back({.core = other.shares[i].core});
        work.cores = other.cores;
    }
}

RowMoves deal(const ArchSpec& arch, const Move& move) {
    const std::uint32_t filled =
        move.output.buffer.num_pages / tiles_across(move.input.spec.shape[1]);
    RowMoves moves{ops::share_work("tiles", arch, {}, move.input.buffer.num_pages),
                   ops::share_work("filled", arch, {}, filled)};
    widen(moves.tiles, moves.filled);
    widen(moves.filled, moves.tiles);
    return moves;
}

void add_row_writer(Program& program, const RowMoves& moves, const Move& move,
                    std::uint32_t line_bytes) {
    const std::vector<std::uint32_t>& shape = move.input.spec.shape;
    const FaceRowTensors tensors{.output = &move.output.buffer};
    const KernelHandle writer =
        CreateKernel(program, "bench/accuracy/kernels/models/face_row_write.cpp", moves.tiles.cores,
                     ops::writer_config(FaceRowArgs{.channels = shape[1],
                                                    .rows = shape[2],
                                                    .column_tiles = tiles_across(shape[3]),
                                                    .line_bytes = line_bytes},
                                        tensors));
    for (std::size_t i = 0; i < moves.tiles.shares.size(); ++i) {
        const WorkShare& tiles = moves.tiles.shares[i];
        const WorkShare& filled = moves.filled.shares[i];
        ops::set_args(program, writer, tiles.core, ops::addresses_of(tensors),
                      FaceRowRange{.first_tile = tiles.first,
                                   .num_tiles = tiles.count,
                                   .first_filled = filled.first,
                                   .num_filled = filled.count});
    }
}

/// Swaps rows and channels; each face row is a separate write. Partial channels are padded with
/// zeros, permute's default pad_value.
Program transpose_hc_program(Bench& bench, const TensorSpec& input) {
    constexpr std::uint32_t kFaceSide = 16;
    const std::uint32_t element_bytes = tile_bytes(input.format) / (kTileSide * kTileSide);
    const std::uint32_t line_bytes = kFaceSide * element_bytes;
    const std::uint32_t face_bytes = kFaceSide * line_bytes;
    const bool fills = input.shape[1] % kTileSide != 0;
    TensorSpec output = input;
    std::swap(output.shape[1], output.shape[2]);
    const Move move = allocate_move(bench, input, output);
    const RowMoves moves = deal(bench.arch(), move);

    Program program = CreateProgram();
    add_cb(program, moves.tiles.cores, kTilesCb, kCbTiles, input.format);
    if (fills) {
        add_buffer(program, moves.tiles.cores, kFillerCb, 1, face_bytes, input.format);
    }
    add_tile_reader(program, moves.tiles, move.input.buffer,
                    {.length = move.input.buffer.num_pages},
                    fills ? face_bytes / static_cast<std::uint32_t>(sizeof(std::uint32_t)) : 0);
    add_row_writer(program, moves, move, line_bytes);
    return program;
}

struct TileMove {
    std::string_view workload;  ///< start of the row's workload
    Program (*program)(Bench& bench, const TensorSpec& input);
};

// The test's (1, 0, 2, 3) of q_rope transposes batches and channels. Its (0, 2, 1, 3) of each other
// tensor transposes channels and rows. Its (1, 2, 0, 3) belongs to another op.
constexpr std::array<TileMove, 10> kTileMoves{
    {{"DeepSeek MLA mesh partition", partition_program},
     {"DeepSeek MLA slice q_nope", column_slice_program<0, 128>},
     {"DeepSeek MLA slice q", column_slice_program<0, 1536>},
     {"DeepSeek MLA slice kv_nope", column_slice_program<1536, 512>},
     {"DeepSeek MLA slice kv_rope", column_slice_program<2048, 64>},
     {"DeepSeek MLA permute q_rope", transpose_cn_program},
     {"DeepSeek MLA permute kv_rope", transpose_hc_program},
     {"DeepSeek MLA permute q_nope post", transpose_hc_program},
     {"DeepSeek MLA permute attention out", transpose_hc_program},
     {"DeepSeek MLA permute v out", transpose_hc_program}}};

}  // namespace

Prediction predict_model_moves(const Row& row, const Parameters& parameters, const Model& model) {
    const auto* const move = std::ranges::find_if(kTileMoves, [&](const TileMove& candidate) {
        return row.workload.starts_with(candidate.workload);
    });
    expressible(move != kTileMoves.end(), "which tiles {} moves where is not known", row.workload);
    const TensorSpec input{parameters.shape("shape"), parameters.format("dtype"), Layout::TILE};
    expressible(input.shape.size() == 4, "the shape has {} extents, not 4", input.shape.size());
    expressible(input.format == DataFormat::Float16_b || input.format == DataFormat::Float32,
                "dtype is not bfloat16 or float32");
    Bench bench(model);
    return as_time(row, bench.run(move->program(bench, input)).kernel_span_cycles(), model);
}

}  // namespace tessera::score
