// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/programs/models/shard_matmul.hpp"

#include <algorithm>

#include "bench/accuracy/kernels/models/args.hpp"
#include "bench/accuracy/parameters.hpp"
#include "bench/accuracy/programs/places.hpp"
#include "ops/matmul/blocking.hpp"
#include "ops/matmul/circular_buffers.hpp"
#include "ops/shared/kernels/block_handshake_args.hpp"
#include "ops/shared/program_builder.hpp"
#include "tessera/work_split.hpp"

namespace tessera::score {
namespace {

using namespace ops;
using namespace ops::matmul;

constexpr DataFormat kFormat = DataFormat::Float16_b;
constexpr std::uint32_t kDepth = 2;  // blocks per operand

struct Shares {
    std::uint32_t shard_w;  ///< K tiles of a shard, which is one block
    std::uint32_t columns;  ///< output tiles per core
    CoreRangeSet holders;
    CoreRangeSet workers;
    CoreCoord end;  ///< last core of the rectangle around the workers, which starts at (0,0)

    [[nodiscard]] std::uint32_t box_size() const { return (end.x + 1) * (end.y + 1); }
    [[nodiscard]] bool in_box(CoreCoord core) const { return core.x <= end.x && core.y <= end.y; }
};

struct Tensors {
    DeviceTensor in0, in1, out;
};

CoreRangeSet first_of(GridSize grid, std::uint32_t count) {
    return num_cores_to_corerangeset(count, CoreCoord{grid.columns, grid.rows}, RowWise::Yes);
}

Shares share_out(const ShardProduct& product) {
    expressible(product.holders > 0 && product.k % product.holders == 0,
                "{} tiles of K over {} cores", product.k, product.holders);
    const std::uint32_t columns = (product.n + product.holders - 1) / product.holders;
    Shares shares{.shard_w = product.k / product.holders,
                  .columns = columns,
                  .holders = first_of(product.grid, product.holders),
                  .workers = first_of(product.grid, (product.n + columns - 1) / columns),
                  .end = {0, 0}};
    for (const CoreCoord core : shares.workers.cores()) {
        shares.end = {std::max(shares.end.x, core.x), std::max(shares.end.y, core.y)};
    }
    return shares;
}

DeviceTensor allocate_row(Bench& bench, const char* name, std::uint32_t tiles,
                          const CoreRangeSet& cores, std::uint32_t shard_w) {
    return bench.session().allocate_sharded(0, name,
                                            {{kTileSide, tiles * kTileSide}, kFormat, Layout::TILE},
                                            BufferType::L1, TensorMemoryLayout::WIDTH_SHARDED,
                                            {.cores = cores,
                                             .shard_shape = {1, shard_w},
                                             .tensor_shape = {1, tiles},
                                             .noc_coords = {}});
}

Tensors allocate(Bench& bench, const ShardProduct& product, const Shares& shares) {
    const auto interleaved = [&](const char* name, std::uint32_t rows, BufferType memory) {
        const TensorSpec spec{{rows * kTileSide, product.n * kTileSide}, kFormat, Layout::TILE};
        return bench.session().allocate(0, name, spec, memory);
    };
    return {.in0 = allocate_row(bench, "in0", product.k, shares.holders, shares.shard_w),
            .in1 = interleaved("in1", product.k, BufferType::DRAM),
            .out = product.is_out_sharded
                       ? allocate_row(bench, "out", product.n, shares.workers, shares.columns)
                       : interleaved("out", 1, BufferType::L1)};
}

void add_buffer(Program& program, const CoreRangeSet& cores, const std::vector<Cb>& names,
                std::uint32_t tiles, const DeviceTensor* shard = nullptr) {
    std::map<std::uint8_t, DataFormat> formats;
    for (const Cb cb : names) {
        formats[static_cast<std::uint8_t>(cb)] = kFormat;
    }
    CircularBufferConfig config(tiles * tile_bytes(kFormat), formats);
    for (const auto& [index, format] : formats) {
        config.set_page_size(index, tile_bytes(format));
    }
    if (shard != nullptr) {
        config.set_globally_allocated_address(shard->buffer);
    }
    CreateCircularBuffer(program, cores, std::move(config));
}

void add_buffers(Program& program, const ShardProduct& product, const Shares& shares,
                 const Tensors& tensors) {
    add_buffer(program, shares.holders, {Cb::In0}, kDepth * shares.shard_w);
    add_buffer(program, shares.holders, {Cb::In0Shard}, shares.shard_w, &tensors.in0);
    add_buffer(program, shares.workers, {Cb::In1}, kDepth * shares.shard_w * shares.columns);
    add_buffer(program, shares.workers, {Cb::Out, Cb::Partials}, shares.columns,
               product.is_out_sharded ? &tensors.out : nullptr);
}

void add_in0(Program& program, const ArchSpec& arch, const ShardProduct& product,
             const Shares& shares) {
    const std::uint32_t replies = CreateSemaphore(program, shares.holders, 0);
    const std::uint32_t flag = CreateSemaphore(program, shares.holders, 0);
    const std::uint32_t valid = CreateSemaphore(program, shares.holders, 1);
    const std::uint32_t num_replies = std::min(shares.box_size(), product.holders);
    const KernelHandle kernel = CreateKernel(
        program, "bench/accuracy/kernels/models/shard_multicast.cpp", shares.holders,
        DataMovementConfig{
            .processor = DataMovementProcessor::RISCV_1,
            .noc = NOC::NOC_1,
            .compile_args = {},
            .defines = {},
            .named_compile_args = named(ShardMulticastArgs{.num_holders = product.holders,
                                                           .shard_tiles = shares.shard_w,
                                                           .columns = product.grid.columns,
                                                           .num_cores = shares.box_size(),
                                                           .num_replies = num_replies,
                                                           .replies = replies,
                                                           .flag = flag,
                                                           .valid = valid})});
    const CoreCoord first = noc_coordinate(arch, {0, 0});
    const CoreCoord last = noc_coordinate(arch, shares.end);  // start of a multicast on NoC 1
    std::uint32_t position = 0;
    for (const CoreCoord core : shares.holders.cores()) {
        set_args(program, kernel, core,
                 ShardMulticastPlace{.start_x = last.x,
                                     .start_y = last.y,
                                     .end_x = first.x,
                                     .end_y = first.y,
                                     .position = position++,
                                     .takes_part = shares.in_box(core) ? 1U : 0U,
                                     .has_work = shares.workers.contains(core) ? 1U : 0U,
                                     .first_x = first.x,
                                     .first_y = first.y});
    }
}

/// Adds the reader of in1. No other core needs this core's columns of in1, so it sends nothing.
void add_in1(Program& program, const ShardProduct& product, const Shares& shares,
             const Tensors& tensors) {
    const In1Tensors operands{.in1 = &tensors.in1.buffer, .out = &tensors.out.buffer};
    const KernelHandle kernel = CreateKernel(
        program, "ops/matmul/kernels/in1_sender_writer.cpp", shares.workers,
        DataMovementConfig{
            .processor = DataMovementProcessor::RISCV_0,
            .noc = NOC::NOC_0,
            .compile_args = accessors_of(operands),
            .defines = {},
            .named_compile_args = named(In1Args{.k_tiles = product.k, .block_k = shares.shard_w},
                                        OutArgs{.n_tiles = product.n,
                                                .block_h = 1,
                                                .block_w = shares.columns,
                                                .subblock_h = 1,
                                                .subblock_w = shares.columns,
                                                .num_blocks_h = 1,
                                                .num_blocks_w = 1,
                                                .is_sharded = product.is_out_sharded ? 1U : 0U})});
    std::uint32_t column = 0;
    for (const CoreCoord core : shares.workers.cores()) {
        const std::uint32_t valid = std::min(shares.columns, product.n - column);
        set_args(program, kernel, core, addresses_of(operands), In1Range{.first_tile = column},
                 OutRange{.num_rows = 1, .num_columns = valid, .first_tile = column},
                 BlockSenderArgs{});
        column += shares.columns;
    }
}

void add_compute(Program& program, const ShardProduct& product, const Shares& shares) {
    const bool adds_in_l1 = product.holders > 2;
    (void)CreateKernel(program, "ops/matmul/kernels/block_compute.cpp", shares.workers,
                       ComputeConfig{.math_fidelity = MathFidelity::HiFi2,
                                     .named_compile_args = named(
                                         BlockComputeArgs{.block_h = 1,
                                                          .block_w = shares.columns,
                                                          .block_k = shares.shard_w,
                                                          .num_k_blocks = product.holders,
                                                          .subblock_h = 1,
                                                          .subblock_w = shares.columns,
                                                          .accumulates_in_l1 = adds_in_l1 ? 1U : 0U,
                                                          .changes_format = adds_in_l1 ? 1U : 0U,
                                                          .num_out_blocks = 1})});
}

}  // namespace

Replays run_shard_product(Bench& bench, const ShardProduct& product) {
    const Shares shares = share_out(product);
    const Tensors tensors = allocate(bench, product, shares);
    Program program = CreateProgram();
    add_buffers(program, product, shares, tensors);
    add_in0(program, bench.arch(), product, shares);
    add_in1(program, product, shares, tensors);
    add_compute(program, product, shares);
    return bench.run(std::move(program));
}

}  // namespace tessera::score
