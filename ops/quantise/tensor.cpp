// SPDX-License-Identifier: Apache-2.0
// Rows with one scale for all: tiles of 1024 elements are distributed over the cores.
#include <algorithm>
#include <bit>

#include "emu/base/round_up.hpp"
#include "ops/quantise/quantise.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::quantise {
namespace {

/// Context from which a program is built.
struct TensorWork {
    const QuantiseSpec& spec;
    DataFormat format;  ///< of the input
    DataFormat codes;
    TensorArgs args;
    CountedRows counted;
    SharedWork work;
};

/// Tiles of the core with the most, in whole turns.
std::uint32_t most_tiles(const TensorWork& tensor) {
    return round_up(tensor.work.shares.front().count, kTensorTurn);
}

std::uint64_t table_bytes(const TensorWork& tensor) {
    // The first and the last row of a core may be shared with other cores.
    return tensor.counted.table_bytes(
        tensor.work.shares.front().count * kTilePieces / tensor.args.pieces + 2);
}

std::uint64_t exchange_bytes(const TensorWork& tensor) {
    // A slot for each core, and one for the answer.
    return std::uint64_t{fp8::aligned(4)} * (tensor.work.shares.size() + 1);
}

/// Whether L1 has room for all elements of a core, so that they are read once.
bool fits(const OpContext& context, const TensorWork& tensor) {
    // Largest magnitudes, ones and the scale take up to five tiles.
    const std::uint64_t others = 2 * table_bytes(tensor) + exchange_bytes(tensor) +
                                 2ULL * kTensorTurn * tile_bytes(tensor.codes) +
                                 5ULL * tile_bytes(DataFormat::Float32);
    return others + std::uint64_t{most_tiles(tensor)} * tile_bytes(tensor.format) <=
           buffer_room(context.arch);
}

TensorWork tensor_work(const OpContext& context) {
    const auto& spec = context.params<QuantiseSpec>();
    const TensorSpec& input = context.inputs["input"_in].spec;
    const std::uint32_t pieces = div_up(input.shape.back(), fp8::kBlock);
    const std::uint32_t all = num_rows(input.shape) * pieces;
    const TensorPlan* counts = context.has("counts"_in) ? &context.inputs["counts"_in] : nullptr;
    TensorWork tensor{
        .spec = spec,
        .format = input.format,
        .codes = context.outputs["codes"_out].spec.format,
        .args = {.columns = input.shape.back(),
                 .pieces = pieces,
                 .num_pieces = all,
                 .is_kept = 0,
                 // The matrix unit would cut magnitudes of float32.
                 .largest = index_of(input.format == DataFormat::Float16_b ? Largest::OfRows
                                                                           : Largest::OfColumns)},
        .counted = counted_rows(context.arch, input.shape, counts, spec.counted_by),
        .work = share_work(kSpec.name, context.arch, spec.grid, div_up(all, kTilePieces))};
    tensor.args.is_kept = fits(context, tensor) ? 1 : 0;
    return tensor;
}

void add_tensor_buffers(Program& program, const TensorWork& tensor, std::uint32_t alignment) {
    const auto add = [&](Cb cb, DataFormat format, std::uint32_t tiles) {
        add_circular_buffer(program, tensor.work.cores, cb, format, {tiles, tile_bytes(format)});
    };
    add(Cb::Rows, tensor.format, tensor.args.is_kept != 0 ? most_tiles(tensor) : 2 * kTensorTurn);
    add(Cb::Ones, DataFormat::Float16_b, 1);
    add(Cb::Partial, DataFormat::Float16_b, 1);
    add(Cb::Largest, DataFormat::Float32, 1);
    mark_steering(program, Cb::Largest);
    add(Cb::Scale, DataFormat::Float32, 1);
    add(Cb::Output, tensor.codes, 2 * kTensorTurn);
    const Scratch scratch[]{{Cb::ReaderCounts, table_bytes(tensor)},
                            {Cb::WriterCounts, table_bytes(tensor)},
                            {Cb::Exchange, exchange_bytes(tensor)},
                            {Cb::Scales, sizeof(float)}};
    add_scratch(program, tensor.work.cores, scratch, alignment);
}

ComputeConfig tensor_compute_config(const TensorWork& tensor) {
    ComputeConfig config = compute_config(tensor.spec, 1);
    const NamedCompileArgs args = named(tensor.args);
    config.named_compile_args.insert(args.begin(), args.end());
    return config;
}

/// Returns the place of the core with the first tiles and, for that core, of all.
std::vector<std::uint32_t> places_of(const ArchSpec& arch, const TensorWork& tensor,
                                     std::uint32_t index) {
    std::vector<std::uint32_t> places;
    const std::size_t named_cores = index == 0 ? tensor.work.shares.size() : 1;
    for (std::size_t i = 0; i < named_cores; ++i) {
        const CoreCoord core = on_noc(arch, tensor.work.shares[i].core);
        const auto place = words_of(CorePlace{.x = core.x, .y = core.y});
        places.insert(places.end(), place.begin(), place.end());
    }
    return places;
}

/// Returns the turn with which a core starts. Rows are pages, one bank after the other: cores that all
/// started with their first row would read from a few banks at once.
std::uint32_t start_of(const ArchSpec& arch, const TensorWork& tensor, std::uint32_t index) {
    const WorkShare& share = tensor.work.shares[index];
    const std::uint32_t banks = arch.dram.num_banks;
    for (std::uint32_t turn = 0; turn * kTensorTurn < share.count; ++turn) {
        const std::uint32_t piece = (share.first + turn * kTensorTurn) * kTilePieces;
        if (piece / tensor.args.pieces % banks == index % banks) {
            return turn;
        }
    }
    return 0;
}

TensorWriterArgs writer_args(Program& program, const TensorWork& tensor) {
    return {.rule = static_cast<std::uint32_t>(tensor.spec.rule),
            .code_bytes = element_bytes(tensor.codes),
            .most_bits = std::bit_cast<std::uint32_t>(largest_code(tensor.spec.codes)),
            .arrived = CreateSemaphore(program, tensor.work.cores, 0),
            .answered = CreateSemaphore(program, tensor.work.cores, 0)};
}

}  // namespace

Program tensor_program(const OpContext& context, std::size_t position) {
    const TensorWork tensor = tensor_work(context);
    const ReaderTensors read{.input = &context.device_inputs["input"_in][position].buffer,
                             .counts = given_input(context, "counts"_in, position)};
    const WriterTensors written{.codes = &context.device_outputs["codes"_out][position].buffer,
                                .scales = &context.device_outputs["scale"_out][position].buffer,
                                .counts = read.counts};
    const CoreRangeSet& cores = tensor.work.cores;
    Program program = CreateProgram();
    add_tensor_buffers(program, tensor, dram_alignment(context.arch));
    const NamedCompileArgs counted = named(tensor.counted.args());
    const PieceReaderArgs elements{.element_bytes = element_bytes(tensor.format)};
    const KernelHandle reader =
        CreateKernel(program, "ops/quantise/kernels/tensor_reader.cpp", cores,
                     reader_config(named(tensor.args, elements, counted), read));
    const KernelHandle compute = CreateKernel(program, "ops/quantise/kernels/tensor_compute.cpp",
                                              cores, tensor_compute_config(tensor));
    const KernelHandle writer = CreateKernel(
        program, "ops/quantise/kernels/tensor_writer.cpp", cores,
        writer_config(named(tensor.args, writer_args(program, tensor), counted), written));
    const auto num_cores = static_cast<std::uint32_t>(tensor.work.shares.size());
    for (std::uint32_t i = 0; i < num_cores; ++i) {
        const WorkShare& share = tensor.work.shares[i];
        const TensorRange range{.first_tile = share.first,
                                .num_tiles = share.count,
                                .start = start_of(context.arch, tensor, i)};
        set_args(program, reader, share.core, range, addresses_of(read));
        set_args(program, compute, share.core,
                 BlockCount{.num_blocks = div_up(share.count, kTensorTurn)});
        set_args(program, writer, share.core, range, addresses_of(written),
                 Exchange{.core = i, .num_cores = num_cores}, places_of(context.arch, tensor, i));
    }
    return program;
}

}  // namespace tessera::ops::quantise
