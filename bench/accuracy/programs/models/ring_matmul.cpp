// SPDX-License-Identifier: Apache-2.0
// Products of the decode step of Llama and Qwen models on a Galaxy. Shards of in0 travel around a
// ring of 24 cores that hold in1 by columns. Each core multiplies every shard that arrives.
// Sources
// - tt-metal tests/tt_eager/python_api_testing/unit_testing/misc/test_matmul_1d_gather_in0.py,
//   test_matmul_1d_ring_llama_perf: cores, hop core, formats, DST in full sync; in1 is in L1, no
//   prefetcher runs.
// - ttnn matmul_multicore_reuse_mcast_1d_program_factory.cpp, gather_in0: in0 on RISC 1 and NoC 1.
//   A core sends to its predecessor, the first core sends over the hop core to the last. All
//   arrived shards have their own L1.
// - kernels reader_bmm_tile_layout_in0_ring_all_gather.cpp and
//   bmm_large_block_zm_fused_bias_activation_gathered.cpp, which spills no sums if a core's output
//   is one subblock.
//
// Not modelled: cores between those of the ring, whose kernels return at once; differences between
// start times of cores; in a model, the wait for weights that the prefetcher has not delivered.
#include <algorithm>
#include <array>
#include <string_view>

#include "bench/accuracy/bench.hpp"
#include "bench/accuracy/kernels/models/args.hpp"
#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/programs/models/shards.hpp"
#include "bench/accuracy/programs/places.hpp"
#include "bench/accuracy/units.hpp"
#include "ops/shared/program_builder.hpp"
#include "tessera/tensor.hpp"

namespace tessera::score {
namespace {

constexpr std::uint32_t kRingSize = 24;
constexpr std::uint8_t kOwn = 0;
constexpr std::uint8_t kRingIn1 = 1;
constexpr std::uint8_t kRingArrived = 2;
constexpr std::uint8_t kRingOut = 16;

/// PREFETCHER_NOC1_GRID: the cores that receive weights from the readers of DRAM, in ring order.
constexpr std::array<CoreCoord, kRingSize> kRing{{{6, 6}, {6, 7}, {6, 9}, {6, 0}, {6, 1}, {6, 2},
                                                  {6, 4}, {6, 5}, {5, 5}, {5, 6}, {5, 7}, {5, 9},
                                                  {5, 0}, {5, 1}, {5, 2}, {5, 4}, {1, 4}, {1, 5},
                                                  {1, 9}, {1, 0}, {2, 0}, {2, 4}, {2, 5}, {2, 9}}};
constexpr CoreCoord kHop{3, 6};

struct RingProduct {
    std::uint32_t m, k, n;  ///< elements, without padding to whole shards
    DataFormat in0 = DataFormat::Float16_b;
    DataFormat in1 = DataFormat::Bfp8_b;
    DataFormat out = DataFormat::Bfp8_b;
    MathFidelity fidelity = MathFidelity::HiFi2;
    bool fp32_dest_acc = true;
    bool untilizes = false;  ///< packs rows of elements

    /// Returns the tiles of a core's shard of `extent` elements.
    [[nodiscard]] static std::uint32_t share(std::uint32_t extent) {
        return (extent + kRingSize * kTileSide - 1) / (kRingSize * kTileSide);
    }
    [[nodiscard]] std::uint32_t width() const { return share(k); }
    [[nodiscard]] std::uint32_t columns() const { return share(n); }
};

/// Properties of a product that its row only names, from the model's source.
struct NamedProduct {
    std::string_view workload;
    RingProduct product;
};

// Qwen3-32B has 5120 columns over 4 devices; (64 + 2·8) heads of 128, 64 heads for DO, over 8
// devices.
// Source   qwen_model_config.py (SHARDED_QKV_RING_MEMCFG, SHARDED_WO_RING_MEMCFG,
//          XQKV_DECODE_RING_PROGCFG: output in rows of elements, compute_kernel_config_hifi2);
//          llama_attention.py, forward_decode (output formats); llama_decoder.py: the previous
//          layer's output is BFP8; test_matmul_1d_gather_in0.py for DO's in0.
constexpr RingProduct kQkv{.m = 32,
                           .k = 1280,
                           .n = 1280,
                           .in0 = DataFormat::Bfp8_b,
                           .out = DataFormat::Float16_b,
                           .untilizes = true};
constexpr RingProduct kDo{.m = 32, .k = 1024, .n = 1280};
constexpr std::array kNamed{NamedProduct{"Qwen3-32B decode op QKV_MM", kQkv},
                            NamedProduct{"Qwen3-32B decode op DO_MM", kDo}};

CoreRangeSet ring_cores() {
    std::vector<CoreRange> ranges;
    for (const CoreCoord core : kRing) {
        ranges.emplace_back(core);
    }
    return CoreRangeSet(std::move(ranges));
}

CoreRangeSet ring_and_hop() {
    std::vector<CoreRange> ranges = ring_cores().ranges();
    ranges.emplace_back(kHop);
    return CoreRangeSet(std::move(ranges));
}

/// Allocates a matrix of tiles whose columns are distributed over the ring's cores.
DeviceTensor allocate(Bench& bench, const char* name, std::uint32_t rows, std::uint32_t columns,
                      DataFormat format) {
    const TensorSpec spec{
        {rows * kTileSide, kRingSize * columns * kTileSide}, format, Layout::TILE};
    const ShardSpec shard{.cores = ring_cores(),
                          .shard_shape = {rows, columns},
                          .tensor_shape = {rows, kRingSize * columns},
                          .noc_coords = {}};
    return bench.session().allocate_sharded(0, name, spec, BufferType::L1,
                                            TensorMemoryLayout::WIDTH_SHARDED, shard);
}

/// Adds CBs with one page per arriving shard, so that no sender waits for space.
void add_buffers(Program& program, Bench& bench, const RingProduct& product) {
    const std::uint32_t width = product.width();
    const std::uint32_t columns = product.columns();
    const DeviceTensor in0 = allocate(bench, "in0", 1, width, product.in0);
    const DeviceTensor in1 = allocate(bench, "in1", kRingSize * width, columns, product.in1);
    const DeviceTensor out = allocate(bench, "out", 1, columns, product.out);
    add_cb_over(program, ring_cores(), kOwn, width, in0);
    add_cb(program, kHop, kOwn, width, product.in0);
    add_cb_over(program, ring_cores(), kRingIn1, kRingSize * width * columns, in1);
    add_cb(program, ring_and_hop(), kRingArrived, (kRingSize - 1) * width, product.in0);
    add_cb_over(program, ring_cores(), kRingOut, columns, out);
}

/// Returns the core to which a member of the ring sends.
CoreCoord next_of(std::uint32_t position) {
    return position == 0 ? kHop : kRing.at(position - 1);
}

void add_forwarding(Program& program, const ArchSpec& arch, const RingProduct& product) {
    const std::uint32_t counter = CreateSemaphore(program, ring_and_hop(), 0);
    const std::uint32_t width = product.width();
    const KernelHandle kernel = CreateKernel(
        program, "bench/accuracy/kernels/models/ring_forward.cpp", ring_and_hop(),
        DataMovementConfig{
            .processor = DataMovementProcessor::RISCV_1,
            .noc = NOC::NOC_1,
            .compile_args = {},
            .defines = {},
            .named_compile_args = ops::named(RingForwardArgs{.size = kRingSize,
                                                             .counter = counter,
                                                             .tiles = width,
                                                             .width = width,
                                                             .k_tiles = product.k / kTileSide})});
    for (std::uint32_t i = 0; i < kRingSize; ++i) {
        const CoreCoord next = noc_coordinate(arch, next_of(i));
        ops::set_args(program, kernel, kRing.at(i),
                      RingPlace{.position = i, .next_x = next.x, .next_y = next.y, .is_hop = 0});
    }
    const CoreCoord last = noc_coordinate(arch, kRing.back());
    ops::set_args(program, kernel, kHop,
                  RingPlace{.position = 0, .next_x = last.x, .next_y = last.y, .is_hop = 1});
}

void add_product(Program& program, const RingProduct& product) {
    const std::uint32_t in1_tiles = kRingSize * product.width() * product.columns();
    (void)CreateKernel(program, "bench/accuracy/kernels/models/hand_over.cpp", ring_cores(),
                       DataMovementConfig{.processor = DataMovementProcessor::RISCV_0,
                                          .noc = NOC::NOC_0,
                                          .compile_args = {},
                                          .defines = {},
                                          .named_compile_args = ops::named(
                                              HandOverArgs{.cb = kRingIn1, .pages = in1_tiles})});
    const KernelHandle compute =
        CreateKernel(program, "bench/accuracy/kernels/models/ring_product.cpp", ring_cores(),
                     ops::compute_config(RingProductArgs{.ring_size = kRingSize,
                                                         .width = product.width(),
                                                         .k_tiles = product.k / kTileSide,
                                                         .columns = product.columns(),
                                                         .untilizes = product.untilizes ? 1U : 0U},
                                         {.math_fidelity = product.fidelity,
                                          .fp32_dest_acc_en = product.fp32_dest_acc,
                                          .dst_full_sync_en = true}));
    for (std::uint32_t i = 0; i < kRingSize; ++i) {
        ops::set_args(program, compute, kRing.at(i), RingPosition{.position = i});
    }
}

RingProduct product_of(const Row& row, const Parameters& parameters) {
    for (const NamedProduct& named : kNamed) {
        if (row.workload == named.workload) {
            return named.product;
        }
    }
    expressible(row.workload.starts_with("ring matmul"), "workload {}: its shapes are not stated",
                row.workload);
    expressible(parameters.count_or("ring_cores", kRingSize) == kRingSize,
                "a ring of {} cores: only that of {} is known", parameters.count("ring_cores"),
                kRingSize);
    const MathFidelity fidelity = parameters.fidelity("fidelity");
    // Only ff13 of the test's products uses LoFi and 16-bit sums.
    return {.m = parameters.count("M"),
            .k = parameters.count("K"),
            .n = parameters.count("N"),
            .in0 = parameters.format("in0"),
            .in1 = parameters.format("in1"),
            .fidelity = fidelity,
            .fp32_dest_acc = fidelity != MathFidelity::LoFi};
}

void check(const RingProduct& product, const ArchSpec& arch) {
    expressible(arch.architecture == "wormhole", "the ring's cores are those of a Wormhole Galaxy");
    expressible(product.m == kTileSide, "M is {}, not one tile", product.m);
    expressible(
        product.k > 0 && product.k % kTileSide == 0 && product.n > 0 && product.n % kTileSide == 0,
        "K {} and N {} are not whole tiles", product.k, product.n);
    expressible(product.columns() <= arch.dst.tiles_32bit, "{} columns of tiles a core",
                product.columns());
}

}  // namespace

Prediction predict_model_ring_matmul(const Row& row, const Parameters& parameters,
                                     const Model& model) {
    const RingProduct product = product_of(row, parameters);
    check(product, model.arch);
    Bench bench(model);
    Program program = CreateProgram();
    add_buffers(program, bench, product);
    add_forwarding(program, model.arch, product);
    add_product(program, product);
    return as_time(row, bench.run(std::move(program)).kernel_span_cycles(), model);
}

}  // namespace tessera::score
