// SPDX-License-Identifier: Apache-2.0
#include "ops/linear/multicast.hpp"

#include <algorithm>
#include <vector>

#include "emu/base/round_up.hpp"
#include "ops/linear/kernels/multicast_args.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/kernels/block_turns_args.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::linear {
namespace {

constexpr std::uint32_t kMostKBlock = 16;
// Shorter blocks are for L1 only: reads of few K tiles are from few banks at a time. With blocks of
// 2 in place of 8, 128 rows of 2048 with 7168 columns took 1.6 times as long on a Blackhole.
constexpr std::uint32_t kLeastKBlock = 8;
constexpr std::uint32_t kMostHeight = 8;
constexpr std::uint32_t kBlocksHeld = 2;  // of an operand: one is multiplied, one arrives

/// Extents of a product, in tiles.
struct Tiles {
    std::uint32_t rows;
    std::uint32_t columns;
    std::uint32_t k;
};

Tiles tiles_of(const ProductShape& shape) {
    return {div_up(shape.rows, kTileRows), div_up(shape.columns, kTileColumns),
            div_up(shape.inner, kTileColumns)};
}

std::uint32_t columns_of_core(const Tiles& tiles, const Multicast& multicast) {
    return div_up(tiles.columns, multicast.columns * multicast.bands);
}
std::uint32_t rows_of_core(const Tiles& tiles, const Multicast& multicast) {
    return div_up(tiles.rows, multicast.rows);
}

std::vector<CbPlan> buffers_of(const ProductShape& shape, const Multicast& multicast) {
    constexpr auto kBf16 = DataFormat::Float16_b;
    using Cb = MulticastCb;
    const std::uint32_t rows = multicast.height * multicast.k_block;
    const std::uint32_t weights = multicast.width * multicast.k_block;
    std::vector<CbPlan> buffers{{Cb::Rows, kBf16, rows},
                                {Cb::OwnTiles, kBf16, rows},
                                {Cb::Tiles, kBf16, kBlocksHeld * rows},
                                {Cb::OwnWeights, shape.weights, weights},
                                {Cb::Weights, shape.weights, kBlocksHeld * weights},
                                {Cb::Sums, DataFormat::Float32, multicast.height * multicast.width},
                                {Cb::Output, kBf16, 2 * kOutTiles}};
    if (shape.has_bias) {
        buffers.push_back({Cb::Bias, kBf16, multicast.width});
    }
    return buffers;
}

/// Returns about how many cycles the slowest core takes. The numbers are those of a Wormhole; they
/// only have to put distributions in order.
double cycles_of(const ProductShape& shape, const Multicast& multicast, double flit) {
    constexpr double kProduct = 66;     // HiFi4
    constexpr double kSubblock = 20;    // of DST, for its start
    constexpr double kPack = 130;       // an fp32 tile that is added to L1
    constexpr double kLinkRate = 0.9;   // flits a cycle of a multicast
    constexpr double kExchange = 2000;  // replies, flag and latencies of a block
    constexpr double kReadRate = 4.7;   // flits a cycle of all cores, beside multicasts
    constexpr double kWaiting = 0.3;    // of the shorter one of reads and products, for waits
    constexpr double kFinish = 450;     // an output tile
    const Tiles tiles = tiles_of(shape);
    const double rows = double{1} * multicast.height * multicast.k_block;
    const double weights = double{1} * multicast.width * multicast.k_block;
    const double subblocks = div_up(multicast.height, 2U) * div_up(multicast.width, 2U);
    const double sums = double{1} * multicast.height * multicast.width;
    const double compute =
        std::max(sums * multicast.k_block * kProduct + subblocks * kSubblock, sums * kPack);
    const double weight_bytes = weights * tile_bytes(shape.weights);
    const double row_bytes = rows * tile_bytes(DataFormat::Float16_b);
    const double exchange = std::max(weight_bytes, row_bytes) / (flit * kLinkRate) + kExchange;
    const double read = multicast.bands *
                        (multicast.columns * weight_bytes + multicast.rows * row_bytes) /
                        (flit * kReadRate);
    const double blocks = div_up(tiles.k, multicast.k_block);
    const double passes = double{1} * div_up(rows_of_core(tiles, multicast), multicast.height) *
                          div_up(columns_of_core(tiles, multicast), multicast.width);
    // The first blocks arrive before there is something to multiply, also after a pass is stored.
    const double start = 2 * read;
    return start + passes * (blocks * (std::max({compute, exchange, read}) +
                                       kWaiting * std::min(compute, read)) +
                             sums * kFinish + 2 * exchange);
}

/// Finds the best distribution, one part after the other.
class Search {
public:
    Search(const ArchSpec& arch, const ProductShape& shape)
        : room_(buffer_room(arch)),
          flit_(static_cast<double>(arch.noc.flit.value)),
          shape_(shape),
          tiles_(tiles_of(shape)) {}

    /// Tries all passes of bands of `rows` rows of cores.
    void try_rows(CoreCoord grid, std::uint32_t rows) {
        for (std::uint32_t bands = 1; bands * rows <= grid.y; ++bands) {
            const auto columns =
                std::min(static_cast<std::uint32_t>(grid.x), tiles_.columns / bands);
            // A line of one core has no receiver, and a multicast needs at least one.
            if (columns >= 2) {
                try_passes({.rows = rows, .columns = columns, .bands = bands});
            }
        }
    }
    [[nodiscard]] const std::optional<Multicast>& best() const { return best_; }

private:
    void try_passes(Multicast multicast) {
        const std::uint32_t most = std::min(rows_of_core(tiles_, multicast), kMostHeight);
        const std::uint32_t columns = columns_of_core(tiles_, multicast);
        for (multicast.height = 1; multicast.height <= most; ++multicast.height) {
            for (std::uint32_t passes = 1; passes <= columns; ++passes) {
                multicast.width = div_up(columns, passes);
                if (try_blocks(multicast) && passes >= kMostColumnPasses) {
                    break;
                }
            }
        }
    }
    /// Tries blocks of K of several lengths: long ones need fewer exchanges, short ones begin
    /// earlier. Returns whether blocks of one tile of K fit in L1.
    bool try_blocks(Multicast multicast) {
        multicast.k_block = std::min(kMostKBlock, tiles_.k);
        while (multicast.k_block > 0 && bytes_of(buffers_of(shape_, multicast)) > room_) {
            --multicast.k_block;
        }
        const bool fits = multicast.k_block > 0;
        const std::uint32_t least = std::clamp(multicast.k_block, 1U, kLeastKBlock);
        for (std::uint32_t most = multicast.k_block; most >= least; most /= 2) {
            // Blocks of equal lengths.
            multicast.k_block = div_up(tiles_.k, div_up(tiles_.k, most));
            multicast.cycles = cycles_of(shape_, multicast, flit_);
            if (!best_ || multicast.cycles < best_->cycles) {
                best_ = multicast;
            }
        }
        return fits;
    }

    static constexpr std::uint32_t kMostColumnPasses = 4;
    std::uint64_t room_;
    double flit_;
    const ProductShape& shape_;
    Tiles tiles_;
    std::optional<Multicast> best_;
};

/// A program that is being built.
struct MulticastBuild {
    const ArchSpec& arch;
    const Multicast& multicast;
    Tiles tiles;
    MulticastReads read;
    MulticastWrites written;
    KernelHandle reader = {};
    KernelHandle compute = {};
    KernelHandle writer = {};
};

MulticastArgs args_of(const ProductShape& shape, const Multicast& multicast) {
    const Tiles tiles = tiles_of(shape);
    return {.rows = shape.rows,
            .row_bytes = 2 * shape.inner,
            .columns = shape.columns,
            .k_tiles = tiles.k,
            .height = multicast.height,
            .width = multicast.width,
            .k_block = multicast.k_block,
            .row_passes = div_up(rows_of_core(tiles, multicast), multicast.height),
            .column_passes = div_up(columns_of_core(tiles, multicast), multicast.width),
            .has_bias = shape.has_bias ? 1U : 0U};
}

void add_kernels(Program& program, const CoreRangeSet& cores, const MulticastArgs& args,
                 MathFidelity fidelity, MulticastBuild& built) {
    built.reader = CreateKernel(program, "ops/linear/kernels/multicast_reader.cpp", cores,
                                reader_config(args, built.read));
    ComputeConfig config{.math_fidelity = fidelity, .fp32_dest_acc_en = true};
    config.named_compile_args = named(args);
    // Sums keep their bits; through a source register they would lose 13.
    unpack_to_fp32(config, MulticastCb::Sums);
    built.compute =
        CreateKernel(program, "ops/linear/kernels/multicast_compute.cpp", cores, config);
    built.writer = CreateKernel(program, "ops/linear/kernels/multicast_writer.cpp", cores,
                                writer_config(args, built.written));
}

/// Semaphores of a line of cores.
struct LineSemaphores {
    std::uint32_t replies;
    std::uint32_t flag;
    std::uint32_t valid;
};

LineSemaphores add_semaphores(Program& program, const CoreRangeSet& cores) {
    return {.replies = CreateSemaphore(program, cores, 0),
            .flag = CreateSemaphore(program, cores, 0),
            .valid = CreateSemaphore(program, cores, 0)};
}

/// Cores `first` to `last` of a line, which is a row or a column.
struct Line {
    CoreCoord first;
    CoreCoord last;
    std::uint32_t position;  ///< of this core

    [[nodiscard]] std::uint32_t num_cores() const {
        return static_cast<std::uint32_t>(last.x - first.x + last.y - first.y) + 1;
    }
    [[nodiscard]] Turns turns() const { return {num_cores(), position}; }
};

BlockTurnsArgs turns_of(const ArchSpec& arch, const Line& line, NOC noc,
                        const LineSemaphores& semaphores) {
    const CoreCoord first = on_noc(arch, line.first);
    const CoreCoord last = on_noc(arch, line.last);
    // NoC 1 runs towards lower coordinates, so its multicast starts at the far corner.
    const CoreCoord start = noc == NOC::NOC_1 ? last : first;
    const CoreCoord end = noc == NOC::NOC_1 ? first : last;
    const bool is_row = line.first.y == line.last.y;
    return {.start_x = static_cast<std::uint32_t>(start.x),
            .start_y = static_cast<std::uint32_t>(start.y),
            .end_x = static_cast<std::uint32_t>(end.x),
            .end_y = static_cast<std::uint32_t>(end.y),
            .first_x = static_cast<std::uint32_t>(first.x),
            .first_y = static_cast<std::uint32_t>(first.y),
            .step_x = is_row ? 1U : 0U,
            .step_y = is_row ? 0U : 1U,
            .num_cores = line.num_cores(),
            .position = line.position,
            .replies_semaphore = semaphores.replies,
            .flag_semaphore = semaphores.flag,
            .valid_semaphore = semaphores.valid};
}

/// Place of a core: its band, and its position in a column and in a row of the band.
struct Place {
    std::uint32_t band;
    std::uint32_t row;
    std::uint32_t column;
};

MulticastShare share_of(const MulticastBuild& built, const Place& place) {
    const Multicast& multicast = built.multicast;
    const std::uint32_t parts = multicast.columns * multicast.bands;
    const std::uint32_t part = place.band * multicast.columns + place.column;
    const std::uint32_t row = first_owned(built.tiles.rows, multicast.rows, place.row);
    const std::uint32_t column = first_owned(built.tiles.columns, parts, part);
    return {.first_row = row,
            .num_rows = first_owned(built.tiles.rows, multicast.rows, place.row + 1) - row,
            .first_column = column,
            .num_columns = first_owned(built.tiles.columns, parts, part + 1) - column};
}

void set_core_args(Program& program, const MulticastBuild& built, const Place& place,
                   const LineSemaphores& of_rows, const LineSemaphores& of_columns) {
    const Multicast& multicast = built.multicast;
    const std::uint32_t top = place.band * multicast.rows;
    const CoreCoord core{place.column, top + place.row};
    const Line row{{0, core.y}, {multicast.columns - 1, core.y}, place.column};
    const Line column{{core.x, top}, {core.x, top + multicast.rows - 1}, place.row};
    const MulticastShare share = share_of(built, place);
    // The reader multicasts along the row on NoC 0 and the writer along the column on NoC 1, so
    // that the two use no common links.
    set_args(program, built.reader, core, share, addresses_of(built.read),
             turns_of(built.arch, row, NOC::NOC_0, of_rows), column.turns());
    set_args(program, built.compute, core, share, row.turns());
    set_args(program, built.writer, core, share, addresses_of(built.written),
             turns_of(built.arch, column, NOC::NOC_1, of_columns));
}

}  // namespace

std::optional<Multicast> multicast_of(const ArchSpec& arch, GridSize grid,
                                      const ProductShape& shape) {
    const CoreCoord size = schedule_grid("linear", arch, grid);
    Search search(arch, shape);
    const auto most = std::min(static_cast<std::uint32_t>(size.y), tiles_of(shape).rows);
    for (std::uint32_t rows = 2; rows <= most; ++rows) {
        search.try_rows(size, rows);
    }
    return search.best();
}

Program multicast_program(const ArchSpec& arch, const SplitTensors& tensors,
                          const Multicast& multicast, MathFidelity fidelity) {
    const ProductShape shape =
        shape_of(tensors.rows.spec, tensors.weights.spec, tensors.bias != nullptr);
    const CoreRangeSet cores{
        CoreRange{{0, 0}, {multicast.columns - 1, multicast.rows * multicast.bands - 1}}};
    const Buffer* bias = tensors.bias == nullptr ? nullptr : &tensors.bias->buffer;
    MulticastBuild built{
        .arch = arch,
        .multicast = multicast,
        .tiles = tiles_of(shape),
        .read = {.rows = &tensors.rows.buffer, .weights = &tensors.weights.buffer, .bias = bias},
        .written = {.output = &tensors.output.buffer}};

    Program program = CreateProgram();
    add_circular_buffers(program, cores, buffers_of(shape, multicast));
    const LineSemaphores of_rows = add_semaphores(program, cores);
    const LineSemaphores of_columns = add_semaphores(program, cores);
    add_kernels(program, cores, args_of(shape, multicast), fidelity, built);
    for (std::uint32_t band = 0; band < multicast.bands; ++band) {
        for (std::uint32_t row = 0; row < multicast.rows; ++row) {
            for (std::uint32_t column = 0; column < multicast.columns; ++column) {
                set_core_args(program, built, {band, row, column}, of_rows, of_columns);
            }
        }
    }
    return program;
}

}  // namespace tessera::ops::linear
