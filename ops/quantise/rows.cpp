// SPDX-License-Identifier: Apache-2.0
// Rows through the vector unit: 32 rows and 128 columns at a time.
#include <algorithm>
#include <bit>

#include "ops/quantise/quantise.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::quantise {
namespace {

constexpr std::uint32_t kStripTiles = fp8::kBlock / kTileColumns;
constexpr std::uint32_t kFloatTile = tile_bytes(DataFormat::Float32);

// Circular buffers, as the kernels number them.
enum : std::uint8_t {
    kRows = 0,
    kReaderCounts = 1,
    kWriterCounts = 2,
    kExchange = 3,
    kValues = 5,
    kLargest = 6,
    kScale = 7,
    kOut = 16,
    kScales = 17
};

/// What a program is built from.
struct RowWork {
    const QuantiseSpec& spec;
    TensorSpec input;
    Cut cut;
    CountedRows counted;
    SharedWork work;
};

RowWork row_work(const OpContext& context) {
    const auto& spec = context.params<QuantiseSpec>();
    const TensorSpec& input = context.inputs[0].spec;
    const Cut cut = cut_of(input, spec.block);
    const TensorPlan* counts = context.inputs.size() > 1 ? &context.inputs[1] : nullptr;
    return {spec, input, cut, counted_rows(context.arch, input.shape, counts, spec.counted_by),
            share_work(kSpec.name, context.arch, spec.grid, cut.groups)};
}

bool is_tensor(const RowWork& rows) {
    return rows.spec.block == ScaleBlock::Tensor;
}

/// Strips that a core holds at once: of a tensor each is read twice.
std::uint32_t held_strips(const RowWork& rows) {
    return is_tensor(rows) ? 1 : rows.cut.strips;
}

std::uint64_t table_bytes(const RowWork& rows) {
    return rows.counted.table_bytes(rows.work.shares.front().count * rows.cut.row_tiles *
                                    kTileRows);
}

std::uint64_t exchange_bytes(const RowWork& rows) {
    return is_tensor(rows) ? std::uint64_t{fp8::aligned(4)} * (rows.work.shares.size() + 1) : 4;
}

void add_buffers(Program& program, const RowWork& rows, DataFormat output,
                 std::uint32_t alignment) {
    const auto add = [&](std::uint8_t index, DataFormat of, std::uint32_t bytes,
                         std::uint32_t pages) {
        fp8::add_buffer(program, rows.work.cores, index, of, bytes, pages);
    };
    const DataFormat format = rows.input.format;
    add(kRows, format, tile_bytes(format), 2 * kStripTiles);
    add(kValues, DataFormat::Float32, kFloatTile, held_strips(rows) * kStripTiles);
    add(kLargest, DataFormat::Float32, kFloatTile, 2);
    add(kScale, DataFormat::Float32, kFloatTile, 1);
    add(kOut, output, tile_bytes(output), 2 * kStripTiles);
    add(kScales, DataFormat::UInt32, fp8::aligned(rows.cut.blocks * 4), kTileRows);
    const Scratch scratch[]{{kReaderCounts, table_bytes(rows)},
                            {kWriterCounts, table_bytes(rows)},
                            {kExchange, exchange_bytes(rows)}};
    add_scratch(program, rows.work.cores, scratch, alignment);
}

ComputeConfig compute_config(const RowWork& rows) {
    const bool are_integers = rows.spec.codes != Codes::Fp8E4m3;
    const bool multiplies = rows.spec.rule == ScaleRule::PerToken;
    ComputeConfig config;
    config.fp32_dest_acc_en = true;
    // The kernel's Form: divide, multiply, divide and round to integers.
    config.compile_args = {rows.cut.strips,
                           are_integers ? 2U
                           : multiplies ? 1U
                                        : 0U,
                           is_tensor(rows) ? 1U : 0U};
    config.unpack_to_dest_mode.assign(kScale + 1U, UnpackToDestMode::Default);
    for (const std::uint8_t cb : {kRows, kValues, kScale}) {
        config.unpack_to_dest_mode[cb] = UnpackToDestMode::UnpackToDestFp32;
    }
    return config;
}

template <class Words>
void append_words(const Words& words, std::vector<std::uint32_t>& args) {
    args.insert(args.end(), words.begin(), words.end());
}

/// Of a tensor's scale: where the core with the first rows is, and, for that one, the others.
std::vector<std::uint32_t> exchange_args(const ArchSpec& arch, const RowWork& rows,
                                         std::uint32_t index) {
    std::vector<std::uint32_t> args{index, static_cast<std::uint32_t>(rows.work.shares.size())};
    const std::size_t named = !is_tensor(rows) ? 0 : index == 0 ? rows.work.shares.size() : 1;
    for (std::size_t i = 0; i < named; ++i) {
        const CoreCoord core = on_noc(arch, rows.work.shares[i].core);
        args.insert(args.end(), {core.x, core.y});
    }
    return args;
}

struct Tensors {
    const DeviceTensor& input;
    const DeviceTensor& counts;
    const DeviceTensor& codes;
    const DeviceTensor& scales;
};

Tensors tensors_of(const OpContext& context, std::size_t position) {
    const DeviceTensor& input = context.device_inputs[0][position];
    return {input, context.device_inputs.size() > 1 ? context.device_inputs[1][position] : input,
            context.device_outputs[0][position], context.device_outputs[1][position]};
}

std::vector<std::uint32_t> reader_constants(const RowWork& rows, const Tensors& tensors) {
    std::vector<std::uint32_t> args{rows.input.shape.back(), element_bytes(rows.input.format),
                                    rows.cut.row_tiles, is_tensor(rows) ? 2U : 1U};
    append_words(rows.counted.args(), args);
    append_accessors({&tensors.input, &tensors.counts}, args);
    return args;
}

std::vector<std::uint32_t> writer_constants(Program& program, const RowWork& rows,
                                            const Tensors& tensors) {
    const std::uint32_t arrived = CreateSemaphore(program, rows.work.cores, 0);
    const std::uint32_t answered = CreateSemaphore(program, rows.work.cores, 0);
    std::vector<std::uint32_t> args{rows.input.shape.back(),
                                    static_cast<std::uint32_t>(rows.spec.block),
                                    rows.cut.row_tiles,
                                    static_cast<std::uint32_t>(rows.spec.rule),
                                    fp8::aligned(rows.cut.blocks * 4),
                                    rows.cut.blocks * 4,
                                    element_bytes(tensors.codes.spec.format),
                                    std::bit_cast<std::uint32_t>(largest_code(rows.spec.codes)),
                                    arrived,
                                    answered};
    append_words(rows.counted.args(), args);
    append_accessors({&tensors.codes, &tensors.scales, &tensors.counts}, args);
    return args;
}

}  // namespace

void judge_rows_room(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<QuantiseSpec>();
    const TensorSpec& input = context.inputs[0].spec;
    const Cut cut = cut_of(input, spec.block);
    const std::uint32_t strips = spec.block == ScaleBlock::Tensor ? 1 : cut.strips;
    const std::uint64_t bytes = (std::uint64_t{strips} + 6) * kStripTiles * kFloatTile +
                                std::uint64_t{kTileRows} * fp8::aligned(cut.blocks * 4);
    judge.require(bytes <= buffer_room(context.arch), "input",
                  fmt::format("with rows of {} elements takes {} B of circular buffers; a core has "
                              "{} B of L1 for them",
                              input.shape.back(), bytes, buffer_room(context.arch)));
}

Program rows_program(const OpContext& context, std::size_t position) {
    const RowWork rows = row_work(context);
    const Tensors tensors = tensors_of(context, position);
    Program program = CreateProgram();
    add_buffers(program, rows, tensors.codes.spec.format, dram_alignment(context.arch));
    const KernelHandle reader =
        CreateKernel(program, "ops/quantise/kernels/reader.cpp", rows.work.cores,
                     ReaderDataMovementConfig(reader_constants(rows, tensors)));
    const KernelHandle compute = CreateKernel(program, "ops/quantise/kernels/compute.cpp",
                                              rows.work.cores, compute_config(rows));
    const KernelHandle writer =
        CreateKernel(program, "ops/quantise/kernels/writer.cpp", rows.work.cores,
                     WriterDataMovementConfig(writer_constants(program, rows, tensors)));
    for (std::uint32_t i = 0; i < rows.work.shares.size(); ++i) {
        const WorkShare& share = rows.work.shares[i];
        SetRuntimeArgs(program, reader, share.core,
                       {share.first, share.count, tensors.input.buffer.address,
                        tensors.counts.buffer.address});
        SetRuntimeArgs(program, compute, share.core, {share.count * rows.cut.blocks});
        std::vector<std::uint32_t> args{share.first, share.count, tensors.codes.buffer.address,
                                        tensors.scales.buffer.address,
                                        tensors.counts.buffer.address};
        append_words(exchange_args(context.arch, rows, i), args);
        SetRuntimeArgs(program, writer, share.core, args);
    }
    return program;
}

}  // namespace tessera::ops::quantise
