// SPDX-License-Identifier: Apache-2.0
// Embeddings of a batch of tokens, as in Llama's decode: gathered rows of a table, tilized. The
// figure is the profiler's time from the first kernel's start to the last kernel's end.
// Source   tt-metal models/demos/llama3_70b_galaxy/tests/unit_tests/test_llama_ops.py,
//          test_llama_tg_Embeddings;
//          ttnn/cpp/ttnn/operations/embedding/device/embeddings_fused_program_factory.cpp with its
//          kernel embeddings_tilize.cpp.
#include "bench/accuracy/kernels/models/args.hpp"
#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/programs/models/shards.hpp"
#include "bench/accuracy/programs/models/tile_moves.hpp"
#include "bench/accuracy/programs/places.hpp"
#include "bench/accuracy/units.hpp"
#include "ops/shared/program_builder.hpp"

namespace tessera::score {
namespace {

constexpr std::uint8_t kIndexCb = 1;
constexpr std::uint8_t kEmbeddingsCb = 16;

// The output is width-sharded over 2 columns of 8 rows of cores from (1,0) on, in bfloat16 tiles.
// Each core reads its piece of each selected row of the table, which has 128256 rows in DRAM.
constexpr CoreCoord kFirstOut{1, 0};
constexpr CoreCoord kLastOut{2, 7};
constexpr std::uint32_t kOutCores = 16;
constexpr std::uint32_t kVocabulary = 128256;
constexpr std::uint32_t kIndexBytes = 4;

/// Returns arbitrary tokens; the test uses random ones.
std::vector<std::uint32_t> arbitrary_tokens(std::uint32_t count) {
    std::vector<std::uint32_t> tokens;
    std::uint64_t state = 1;
    for (std::uint32_t i = 0; i < count; ++i) {
        state = (state * 1103515245 + 12345) % (1ULL << 31U);
        tokens.push_back(static_cast<std::uint32_t>(state % kVocabulary));
    }
    return tokens;
}

void add_gather(Program& program, const CoreRangeSet& cores, const DeviceTensor& indices,
                const DeviceTensor& table, std::uint32_t block_tiles) {
    const std::uint32_t piece = block_tiles * kTileSide * kElementBytes;
    const RowGatherArgs args{
        .index_bytes = kTileSide * kIndexBytes, .piece_bytes = piece, .block_tiles = block_tiles};
    const RowGatherTensors tensors{.indices = &indices.buffer, .table = &table.buffer};
    const KernelHandle reader =
        CreateKernel(program, "bench/accuracy/kernels/models/row_gather.cpp", cores,
                     ops::reader_config(args, tensors));
    std::uint32_t offset = 0;
    for (const CoreCoord core : corerange_to_cores(cores, kOutCores, RowWise::Yes)) {
        ops::set_args(program, reader, core, ops::addresses_of(tensors),
                      RowGatherPlace{.offset = offset}, arbitrary_tokens(kTileSide));
        offset += piece;
    }
}

Program embedding_program(Bench& bench, std::uint32_t width) {
    const CoreRangeSet cores(CoreRange(kFirstOut, kLastOut));
    const std::uint32_t block_tiles = width / kTileSide / kOutCores;
    const DeviceTensor indices = bench.session().allocate(
        0, "tokens", {.shape = {1, kTileSide}, .format = DataFormat::UInt32}, BufferType::DRAM);
    const DeviceTensor table =
        bench.session().allocate(0, "table", {.shape = {kVocabulary, width}}, BufferType::DRAM);
    const DeviceTensor output = bench.session().allocate_sharded(
        0, "output", {{kTileSide, width}, DataFormat::Float16_b, Layout::TILE}, BufferType::L1,
        TensorMemoryLayout::WIDTH_SHARDED,
        {.cores = cores,
         .shard_shape = {1, block_tiles},
         .tensor_shape = {1, block_tiles * kOutCores}});
    Program program = CreateProgram();
    add_cb(program, cores, kTilesCb, 2 * block_tiles, DataFormat::Float16_b);
    add_buffer(program, cores, kIndexCb, 1, kTileSide * kIndexBytes, DataFormat::UInt32);
    add_cb_over(program, cores, kEmbeddingsCb, block_tiles, output);
    add_gather(program, cores, indices, table, block_tiles);
    const KernelHandle compute =
        CreateKernel(program, "ops/to_layout/kernels/tilize.cpp", cores,
                     ComputeConfig{.compile_args = {},
                                   .defines = {},
                                   .named_compile_args = {{"block_tiles", block_tiles}}});
    SetRuntimeArgs(program, compute, cores, {1});
    return program;
}

}  // namespace

Prediction predict_model_embeddings(const Row& row, const Parameters& parameters,
                                    const Model& model) {
    const std::uint32_t width = parameters.count("width");
    expressible(parameters.count("batch") == kTileSide, "a batch of other than 32 tokens");
    expressible(width > 0 && width % (kTileSide * kOutCores) == 0,
                "rows of {} elements are no whole tiles on each of {} cores", width, kOutCores);
    check_core(model.arch, kLastOut);
    Bench bench(model);
    return as_time(row, bench.run(embedding_program(bench, width)).kernel_span_cycles(), model);
}

}  // namespace tessera::score
