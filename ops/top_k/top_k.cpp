// SPDX-License-Identifier: Apache-2.0
#include "ops/top_k/top_k.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "emu/base/round_up.hpp"
#include "ops/bound.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/core_sharing.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "ops/shared/work_share.hpp"
#include "ops/top_k/kernels/args.hpp"

namespace tessera::ops::top_k {
namespace {

using config::field;
using config::Limits;

constexpr std::uint32_t kMostSplit = 32;     // lists that a processor merges
constexpr std::uint32_t kProcessors = 2;     // of a core that select
constexpr std::uint32_t kLeastColumns = 64;  // of a processor: less is not worth an exchange
constexpr std::uint32_t kDigits = 1U << 8U;  // of the histogram of processors that share a row
constexpr std::uint32_t kAligned = 16;       // words of a read or write of DRAM
// Processors count first if they have many columns and few are selected. Both limits are assumed;
// at 1024 columns of a processor, 2048 of 32 768 of four rows take 0.18 M cycles on a Wormhole.
constexpr std::uint32_t kLeastCounted = 1024;  // columns of a processor
constexpr std::uint32_t kLeastLeftOut = 4;     // columns of a row for each that is selected

constexpr std::array kFields{
    field<&TopKSpec::k>(
        "k", config::kRequired,
        "number of columns, in descending order of their elements; of equal elements "
        "the lower column is first, NaN is below every number, -1 fills up a row with "
        "fewer columns",
        Limits{1, 1048576}),
    field<&TopKSpec::split>("split", "0",
                            "processors that share a row, two of a core: a power of two; 0: chosen "
                            "by the shape, 1 with a stated grid",
                            Limits{0, kMostSplit}),
    field<&TopKSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
};

/// Rows and columns of a call.
struct Extents {
    std::uint32_t rows = 0;
    std::uint32_t columns = 0;
    std::uint32_t k = 0;
};

Extents extents_of(const TopKSpec& spec, const Shape& scores) {
    return {num_rows(scores), row_length(scores), spec.k};
}

/// Returns the words of a processor's part of `count` words that `split` processors share.
std::uint32_t part_words(std::uint32_t count, std::uint32_t split) {
    return round_up(div_up(count, split), kAligned);
}

/// A circular buffer of one of a core's processors.
Scratch own_scratch(Cb cb, std::uint32_t processor, std::uint64_t bytes) {
    return {static_cast<std::uint8_t>(index_of(cb) + processor * kOwnCbs), bytes};
}

/// Returns whether whole rows are sorted at once: a threshold costs more than it saves in short
/// rows, as its histograms have 2048 entries.
bool sorts_rows(const Extents& extents) {
    constexpr std::uint32_t kLongestSorted = 1024;
    return extents.columns <= kLongestSorted;
}

/// Elements and their columns are sorted together, so they take two words.
void add_whole_rows(const Extents& extents, std::uint32_t processor,
                    std::vector<Scratch>& scratch) {
    // The row is held whole: selecting looks at each element once a digit.
    const std::uint64_t chosen = std::min(extents.columns, extents.k);
    // The sorted entries are overwritten by the ids, of which there are k also in shorter rows.
    for (const Scratch& one :
         {own_scratch(Cb::Scores, processor, std::uint64_t{4} * extents.columns),
          own_scratch(Cb::Histogram, processor, std::uint64_t{4} * kHistogramWords),
          own_scratch(Cb::Chosen, processor, 8 * chosen),
          own_scratch(Cb::Sorted, processor, std::max(8 * chosen, std::uint64_t{4} * extents.k)),
          own_scratch(Cb::Positions, processor, 64)}) {
        scratch.push_back(one);
    }
}

/// Returns whether processors that share a row count its columns before they sort.
bool counts_first(const Extents& extents, std::uint32_t split) {
    return split > 1 && part_words(extents.columns, split) >= kLeastCounted &&
           extents.columns / kLeastLeftOut >= extents.k;
}

void add_shared_rows(const Extents& extents, std::uint32_t split, std::uint32_t processor,
                     std::vector<Scratch>& scratch) {
    const std::uint64_t columns = part_words(extents.columns, split);
    // The part of the result replaces the scores.
    const std::uint64_t words = std::max<std::uint64_t>(columns, part_words(extents.k, split));
    const bool counts = counts_first(extents, split);
    const std::uint64_t digits = counts ? kCountedDigits : kDigits;
    for (const Scratch& one : {own_scratch(Cb::Scores, processor, 4 * words),
                               own_scratch(Cb::Histogram, processor, 4 * digits),
                               own_scratch(Cb::Chosen, processor, 8 * columns),
                               own_scratch(Cb::Sorted, processor, 8 * columns),
                               own_scratch(Cb::Positions, processor, 64)}) {
        scratch.push_back(one);
    }
    if (counts) {
        scratch.push_back(own_scratch(Cb::Counts, processor, 4 * digits));
    }
}

/// Returns the entries of a list that one processor sends. A list needs no more than k entries. Its
/// first byte is at a multiple of 16 bytes (two entries), as transfers between cores need.
std::uint32_t list_entries(const Extents& extents, std::uint32_t split) {
    return round_up(std::min(part_words(extents.columns, split), extents.k), 2U);
}

std::vector<Scratch> scratch_of(const Extents& extents, std::uint32_t split,
                                std::uint32_t processors) {
    std::vector<Scratch> scratch;
    for (std::uint32_t processor = 0; processor < processors; ++processor) {
        if (split == 1 && !sorts_rows(extents)) {
            add_whole_rows(extents, processor, scratch);
        } else {
            add_shared_rows(extents, split, processor, scratch);
        }
    }
    if (split > 1) {
        scratch.emplace_back(Cb::Lists, std::uint64_t{8} * split * list_entries(extents, split));
        scratch.emplace_back(Cb::Lengths, std::uint64_t{split} * kLengthBytes);
    }
    if (counts_first(extents, split)) {
        scratch.emplace_back(Cb::Sums, std::uint64_t{4} * kCountedDigits);
    }
    return scratch;
}

/// How many processors share a row, and how many of a core select.
struct Sharing {
    std::uint32_t split = 1;
    std::uint32_t processors = 1;
};

bool fits(const ArchSpec& arch, const Extents& extents, Sharing sharing) {
    const auto scratch = scratch_of(extents, sharing.split, sharing.processors);
    return bytes_of(scratch, dram_alignment(arch)) <= buffer_room(arch);
}

Sharing sharing_of(const ArchSpec& arch, const TopKSpec& spec, const Extents& extents) {
    const CoreCoord grid = schedule_grid(kSpec.name, arch, spec.grid);
    const auto cores = static_cast<std::uint32_t>(grid.x * grid.y);
    std::uint32_t split = spec.split;
    if (split == 0 && !may_choose_sharing(spec.grid)) {
        split = 1;
    }
    if (split == 0) {
        // Use all processors, unless their parts of a row would be too short.
        const std::uint32_t most = std::min({kProcessors * cores / std::max(extents.rows, 1U),
                                             extents.columns / kLeastColumns, kMostSplit});
        split = std::bit_floor(std::max(most, 1U));
        while (split > 1 && !fits(arch, extents, {split, kProcessors})) {
            split /= 2;
        }
    }
    if (split > 1) {
        return {split, kProcessors};
    }
    // With at most one row for each core, the second processor of a core would have no work.
    const Sharing both{1, kProcessors};
    return extents.rows > cores && fits(arch, extents, both) ? both : Sharing{};
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<TopKSpec>();
    const Shape& scores = context.inputs["scores"_in].spec.shape;
    if (!judge_grid(context.arch, spec.grid, judge)) {
        return;
    }
    judge.require(spec.k > 0, "k", "is 0; allowed: at least 1");
    const CoreCoord grid = schedule_grid(kSpec.name, context.arch, spec.grid);
    const auto most = static_cast<std::uint32_t>(kProcessors * grid.x * grid.y);
    judge.require(spec.split == 0 || (std::has_single_bit(spec.split) && spec.split <= most),
                  "split",
                  fmt::format("is {}; allowed: 0, or a power of two, at most {} of the grid's {} "
                              "processors",
                              spec.split, std::min(most, kMostSplit), most));
    const Extents extents = extents_of(spec, scores);
    const Sharing sharing = sharing_of(context.arch, spec, extents);
    judge_scratch(context.arch, scratch_of(extents, sharing.split, sharing.processors), "scores",
                  judge);
    // A position limits how many columns of its row are seen, as causal attention needs.
    if (context.has("positions"_in)) {
        const std::uint64_t entries = num_elements(context.inputs["positions"_in].spec.shape);
        judge.require(entries == num_rows(scores), "positions",
                      fmt::format("has {} entries; allowed: one for each of {} rows", entries,
                                  num_rows(scores)));
    }
}

std::vector<TensorPlan> infer(const OpContext& context) {
    TensorSpec output = context.inputs["scores"_in].spec;
    output.shape.back() = std::max(context.params<TopKSpec>().k, 1U);
    output.format = DataFormat::Int32;
    return {{.spec = output}};
}

/// Tensors and lengths of one device's call.
struct Call {
    const ArchSpec& arch;
    SelectTensors tensors;
    SelectArgs args;
    Extents extents;
    GridSize grid;
};

/// Returns the configuration of a kernel on the processor of this number.
template <class Args>
DataMovementConfig config_of(std::uint32_t processor, const Args& args,
                             const SelectTensors& tensors) {
    return processor == 0 ? reader_config(args, tensors) : writer_config(args, tensors);
}

SelectArgs args_of(const Call& call, std::uint32_t processor) {
    SelectArgs args = call.args;
    args.first_cb = processor * kOwnCbs;
    return args;
}

/// Rows are independent: each processor selects some of them.
Program whole_rows_program(const Call& call, std::uint32_t processors) {
    const SharedWork work = share_work(kSpec.name, call.arch, call.grid, call.extents.rows);
    Program program = CreateProgram();
    add_scratch(program, work.cores, scratch_of(call.extents, 1, processors),
                dram_alignment(call.arch));
    for (std::uint32_t processor = 0; processor < processors; ++processor) {
        const char* const source = sorts_rows(call.extents) ? "ops/top_k/kernels/sort_rows.cpp"
                                                            : "ops/top_k/kernels/select.cpp";
        const KernelHandle kernel =
            CreateKernel(program, source, work.cores,
                         config_of(processor, args_of(call, processor), call.tensors));
        for (const WorkShare& share : work.shares) {
            // The processors of a core halve its rows.
            const std::uint32_t first = share.count * processor / processors;
            const std::uint32_t end = share.count * (processor + 1) / processors;
            set_args(program, kernel, share.core,
                     RowRange{.first_row = share.first + first, .num_rows = end - first},
                     addresses_of(call.tensors));
        }
    }
    return program;
}

/// Teams of cores of a grid. The cores of a team share rows.
std::vector<std::vector<CoreCoord>> teams_of(const Call& call, std::uint32_t cores_of_team) {
    const CoreCoord grid = schedule_grid(kSpec.name, call.arch, call.grid);
    const auto cores = static_cast<std::uint32_t>(grid.x * grid.y);
    std::vector<std::vector<CoreCoord>> teams(std::min(cores / cores_of_team, call.extents.rows));
    for (std::uint32_t i = 0; i < teams.size() * cores_of_team; ++i) {
        teams[i / cores_of_team].push_back({i % grid.x, i / grid.x});
    }
    return teams;
}

Program shared_rows_program(const Call& call, std::uint32_t split) {
    const auto teams = teams_of(call, split / kProcessors);
    const CoreRangeSet cores = set_of(teams);
    Program program = CreateProgram();
    add_scratch(program, cores, scratch_of(call.extents, split, kProcessors),
                dram_alignment(call.arch));
    SharedRows rows{.row_step = static_cast<std::uint32_t>(teams.size()),
                    .counted_semaphore = CreateSemaphore(program, cores, 0),
                    .summed_semaphore = CreateSemaphore(program, cores, 0),
                    .arrived_semaphore = CreateSemaphore(program, cores, 0),
                    .finished_semaphore = CreateSemaphore(program, cores, 0)};
    const ShareArgs share{.sharers = split,
                          .list_entries = list_entries(call.extents, split),
                          .counts_first = counts_first(call.extents, split) ? 1U : 0U};
    for (std::uint32_t processor = 0; processor < kProcessors; ++processor) {
        const KernelHandle kernel = CreateKernel(
            program, "ops/top_k/kernels/share_row.cpp", cores,
            config_of(processor, named(args_of(call, processor), share), call.tensors));
        for (std::uint32_t t = 0; t < teams.size(); ++t) {
            std::vector<std::uint32_t> places;
            for (const CoreCoord core : teams[t]) {
                const CoreCoord place = on_noc(call.arch, core);
                places.push_back(static_cast<std::uint32_t>(place.x));
                places.push_back(static_cast<std::uint32_t>(place.y));
            }
            rows.first_row = t;
            rows.num_rows = div_up(call.extents.rows - t, rows.row_step);
            for (std::uint32_t i = 0; i < teams[t].size(); ++i) {
                rows.sharer = kProcessors * i + processor;
                set_args(program, kernel, teams[t][i], rows, addresses_of(call.tensors), places);
            }
        }
    }
    return program;
}

Program make_program(const OpContext& context, std::size_t position) {
    const auto& spec = context.params<TopKSpec>();
    const DeviceTensor& scores = context.device_inputs["scores"_in][position];
    const bool has_positions = is_given(context.device_inputs, "positions"_in);
    const DeviceTensor* positions =
        has_positions ? &context.device_inputs["positions"_in][position] : nullptr;
    const Extents extents = extents_of(spec, scores.spec.shape);
    const Call call{
        .arch = context.arch,
        .tensors = {.scores = &scores.buffer,
                    .positions = has_positions ? &positions->buffer : nullptr,
                    .indices = &context.device_outputs[only(kOutputs)][position].buffer},
        .args = {.columns = extents.columns,
                 .k = spec.k,
                 .list_width = has_positions ? row_length(positions->spec.shape) : 0},
        .extents = extents,
        .grid = spec.grid};
    const Sharing sharing = sharing_of(context.arch, spec, extents);
    return sharing.split == 1 ? whole_rows_program(call, sharing.processors)
                              : shared_rows_program(call, sharing.split);
}

LeastWork bound(const BoundContext& context) {
    // Columns after a row's position are not read.
    const TensorSpec& scores = context.in("scores"_in);
    double visible = static_cast<double>(num_elements(scores.shape));
    if (context.has("positions"_in)) {
        visible = 0;
        for (const std::int32_t position : context.integers("positions"_in)) {
            visible += std::clamp(position + 1.0, 0.0, double{1} * row_length(scores.shape));
        }
    }
    LeastWork work = operand_bytes(context, {"scores"});
    work.dram_bytes += bytes_of_elements(visible, scores.format);
    return work;
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const HostTensor scores = context.read("scores"_in);
    const HostTensor positions =
        context.has("positions"_in) ? context.read("positions"_in) : HostTensor{};
    const std::size_t columns = row_length(scores.shape);
    HostTensor output = filled_int32(context.outputs[only(kOutputs)].spec.shape, -1);
    const std::size_t k = row_length(output.shape);
    for (std::size_t row = 0; row < num_rows(scores.shape); ++row) {
        const auto values = scores.as<float>().subspan(row * columns, columns);
        const std::int64_t last = positions.shape.empty()
                                      ? static_cast<std::int64_t>(columns) - 1
                                      : std::int64_t{positions.as<std::int32_t>()[row]};
        // A position of -1 sees nothing; one beyond the row sees all of it.
        std::vector<std::int32_t> order(static_cast<std::size_t>(
            std::clamp<std::int64_t>(last + 1, 0, static_cast<std::int64_t>(columns))));
        std::iota(order.begin(), order.end(), 0);
        // −inf marks a masked column.
        std::erase_if(order, [&](std::int32_t column) {
            return values[static_cast<std::size_t>(column)] ==
                   -std::numeric_limits<float>::infinity();
        });
        // Stable: equal elements keep the order of their columns, and the lower one is taken first.
        std::ranges::stable_sort(order, [&](std::int32_t a, std::int32_t b) {
            const float x = values[static_cast<std::size_t>(a)];
            const float y = values[static_cast<std::size_t>(b)];
            // NaN is below everything, as in the kernel.
            return x > y || (!std::isnan(x) && std::isnan(y));
        });
        std::copy_n(order.begin(), std::min(k, order.size()),
                    output.as<std::int32_t>().subspan(row * k).begin());
    }
    return list_of(std::move(output));
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<TopKSpec>(kFields),
                        .rules = rules,
                        .infer = infer,
                        .programs = on_each(make_program),
                        .bound = bound,
                        .reference = reference};
    return kOp;
}

}  // namespace tessera::ops::top_k
