// SPDX-License-Identifier: Apache-2.0
// Rotary embedding of queries and keys in one op: half of the cores hold one user's queries each,
// the other half one user's keys. The op has one compute kernel and no data movement.
// Sources
// - tt-metal ttnn/cpp/ttnn/operations/experimental/transformer/rotary_embedding_llama_fused_qk:
//   factory and compute/rotary_embedding_llama_sharded.cpp.
// - tests/tt_eager/python_api_testing/unit_testing/misc/test_rotary_embedding_llama.py: users on
//   rows of eight cores from (0,0) on, heads padded to a tile, HiFi4, 32-bit DST for heads of up to
//   128.
// - models/demos/llama3_70b_galaxy/tests/unit_tests/test_llama_ops.py runs it on a device of 8x8
//   cores.
#include "bench/accuracy/bench.hpp"
#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/programs/models/shards.hpp"
#include "bench/accuracy/programs/places.hpp"
#include "bench/accuracy/units.hpp"

namespace tessera::score {
namespace {

constexpr DataFormat kRotaryFormat = DataFormat::Float16_b;
constexpr std::uint32_t kUsersInARow = 8;

constexpr std::string_view kInDecoder = "decode op RotaryEmbeddingLlamaFusedQK";

struct Rotary {
    CoreRange cores;
    std::uint32_t tiles;  ///< tiles of one user's heads
    bool of_one_row;      ///< whether cos and sin have one row
};

/// Returns the form that models use: 8 heads of 128 as rows of elements are one tile, and cos and
/// sin have as many rows. 16 cores work; the kernel runs on the rectangle around them.
/// Source   tests/tt_eager/python_api_testing/unit_testing/misc/test_rotary_embedding_llama.py,
///          run_test_row_major_rotary_embedding_llama;
///          compute/rotary_embedding_llama_sharded_row_major.cpp.
Rotary in_decoder() {
    return {.cores = CoreRange({1, 0}, {3, 5}), .tiles = 1, .of_one_row = false};
}

Rotary rotary_of(const Parameters& parameters) {
    const std::uint32_t batch = parameters.count("batch");
    const std::uint32_t head = parameters.count("head");
    expressible(batch > 0 && batch % kUsersInARow == 0, "{} users are not rows of {}", batch,
                kUsersInARow);
    expressible(head > 0 && head % kTileSide == 0, "heads of {} are not whole tiles", head);
    for (const char* key : {"q_heads", "kv_heads"}) {
        expressible(parameters.count(key) <= kTileSide, "{} of more than {}", key, kTileSide);
    }
    return {.cores = CoreRange({0, 0}, {kUsersInARow - 1, 2 * batch / kUsersInARow - 1}),
            .tiles = head / kTileSide,
            .of_one_row = true};
}

Program rotary_program(Bench& bench, const Rotary& rotary) {
    struct Operand {
        std::uint8_t cb;
        const char* name;
        std::uint32_t tiles;
    };
    const std::uint32_t tiles = rotary.tiles;
    Program program = CreateProgram();
    for (const auto& [cb, name, shard] :
         {Operand{0, "in", tiles}, Operand{2, "cos", tiles}, Operand{3, "sin", tiles},
          Operand{4, "swap", 1}, Operand{16, "out", tiles}}) {
        add_cb_over(program, rotary.cores, cb, shard,
                    allocate_shards(bench, name, {rotary.cores, shard, kRotaryFormat}));
    }
    for (const std::uint8_t cb : {std::uint8_t{24}, std::uint8_t{25}, std::uint8_t{26}}) {
        add_cb(program, rotary.cores, cb, tiles, kRotaryFormat);
    }
    constexpr std::uint32_t kMostTiles = 4;  // half of a 32-bit DST
    (void)CreateKernel(program, "bench/accuracy/kernels/models/rotary_heads.cpp", rotary.cores,
                       ComputeConfig{.fp32_dest_acc_en = tiles <= kMostTiles,
                                     .math_approx_mode = true,
                                     .compile_args = {1, tiles, rotary.of_one_row ? 1U : 0U}});
    return program;
}

}  // namespace

Prediction predict_model_rotary(const Row& row, const Parameters& parameters, const Model& model) {
    const bool is_model = row.workload.ends_with(kInDecoder);
    Bench bench(model);
    const Replays replays =
        bench.run(rotary_program(bench, is_model ? in_decoder() : rotary_of(parameters)));
    return as_time(row, replays.kernel_span_cycles(), model);
}

}  // namespace tessera::score
