// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/expert_rows/tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "emu/base/round_up.hpp"
#include "ops/operand_error.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/expert_rows/kernels/args.hpp"
#include "tessera/errors.hpp"

namespace tessera::ops {

std::uint32_t row_length(const Shape& shape) {
    return shape.back();
}

std::uint32_t num_rows(const Shape& shape) {
    return static_cast<std::uint32_t>(num_elements(shape) / shape.back());
}

std::uint64_t bytes_of(std::span<const Scratch> scratch, std::uint32_t alignment) {
    std::uint64_t bytes = 0;
    for (const Scratch& part : scratch) {
        bytes += round_up(part.bytes, alignment);
    }
    return bytes;
}

void add_scratch(Program& program, const CoreRangeSet& cores, std::span<const Scratch> scratch,
                 std::uint32_t alignment) {
    for (const Scratch& part : scratch) {
        // At least one byte: an empty buffer is refused, and an op may have no table.
        const auto page =
            static_cast<std::uint32_t>(round_up(std::max<std::uint64_t>(part.bytes, 1), alignment));
        CreateCircularBuffer(program, cores,
                             CircularBufferConfig(page, {{part.index, DataFormat::UInt32}})
                                 .set_page_size(part.index, page));
    }
}

void judge_scratch(const ArchSpec& arch, std::span<const Scratch> scratch, std::string_view blamed,
                   RuleJudge& judge) {
    const std::uint64_t bytes = bytes_of(scratch, dram_alignment(arch));
    judge.require(bytes <= buffer_room(arch), blamed,
                  fmt::format("needs tables of {} B in L1; a core has {} B for them", bytes,
                              buffer_room(arch)));
}

bool is_paged(const Shape& counts) {
    // A second axis means a page for each count.
    return counts.size() > 1;
}

std::uint64_t counts_bytes(const Shape& counts) {
    return num_elements(counts) * (is_paged(counts) ? expert_rows::kCountStride : 4U);
}

std::uint32_t dram_alignment(const ArchSpec& arch) {
    return static_cast<std::uint32_t>(arch.dram.alignment.value);
}

void append_accessors(std::initializer_list<const DeviceTensor*> tensors,
                      std::vector<std::uint32_t>& args) {
    for (const DeviceTensor* tensor : tensors) {
        TensorAccessorArgs(tensor->buffer).append_to(args);
    }
}

HostTensor filled_int32(Shape shape, std::int32_t value) {
    HostTensor tensor = make_host_tensor(std::move(shape), DataFormat::Int32);
    std::ranges::fill(tensor.as<std::int32_t>(), value);
    return tensor;
}

std::vector<std::int32_t> local_experts_of(const HostTensor& topk_ids, const HostTensor* expert_map,
                                           std::uint32_t num_experts) {
    std::vector<std::int32_t> experts;
    for (const std::int32_t id : topk_ids.as<std::int32_t>()) {
        // Ids of no expert, and experts of other devices, both become -1.
        const bool is_expert = id >= 0 && static_cast<std::uint32_t>(id) < num_experts;
        experts.push_back(!is_expert ? kNobody
                          : expert_map == nullptr
                              ? id
                              : expert_map->as<std::int32_t>()[std::size_t(id)]);
    }
    return experts;
}

std::vector<bool> first_rows(std::uint32_t rows, const HostTensor& counts) {
    const auto values = counts.as<std::int32_t>();
    const std::size_t batch = rows / values.size();
    std::vector<bool> flags(rows, false);
    for (std::size_t b = 0; b < values.size(); ++b) {
        // A count above the batch is cut: the kernels do not read beyond it.
        const std::size_t count = std::min(batch, static_cast<std::size_t>(values[b]));
        std::fill_n(flags.begin() + static_cast<std::ptrdiff_t>(b * batch), count, true);
    }
    return flags;
}

namespace {

/// Returns the place of entry `index` in words: "topk_ids(3,1)".
std::string place_in(const NamedTable& table, std::size_t index) {
    const Shape& shape = table.values.shape;
    return shape.size() == 1 ? fmt::format("{}({})", table.name, index)
                             : fmt::format("{}({},{})", table.name, index / row_length(shape),
                                           index % row_length(shape));
}

// An unsigned count of 4294967295 must not appear as -1.
std::string entry_text(const NamedTable& table, std::size_t index) {
    return table.values.format == DataFormat::UInt32
               ? std::to_string(table.values.as<std::uint32_t>()[index])
               : std::to_string(table.values.as<std::int32_t>()[index]);
}

}  // namespace

void check_entries(std::string_view op, const NamedTable& table, std::uint64_t count, Nobody nobody,
                   std::size_t begin, std::size_t end) {
    const auto entries = table.values.as<std::int32_t>();
    for (std::size_t i = begin; i < end; ++i) {
        const bool is_index = entries[i] >= 0 && static_cast<std::uint64_t>(entries[i]) < count;
        if (is_index || (nobody == Nobody::Allowed && entries[i] == kNobody)) {
            continue;  // in front of the texts: tables have millions of entries
        }
        throw OperandError(
            std::string(table.name),
            fmt::format("{}: {} is {}; allowed: {}0 to {}", op, place_in(table, i),
                        entry_text(table, i), nobody == Nobody::Allowed ? "-1 (none) and " : "",
                        count - 1));
    }
}

void check_indices(std::string_view op, const NamedTable& table, std::uint64_t count, Nobody nobody,
                   std::uint64_t num_live) {
    const Shape& shape = table.values.shape;
    // Entries of tokens beyond the live ones are stale, so they are not checked.
    const std::uint64_t live = std::min<std::uint64_t>(num_live, shape[0]);
    check_entries(op, table, count, nobody, 0, live * (num_elements(shape) / shape[0]));
}

void check_batch_counts(std::string_view op, const NamedTable& counts, std::uint32_t rows) {
    const std::uint64_t batches = num_elements(counts.values.shape);
    check_indices(op, counts, rows / batches + 1, Nobody::Forbidden);
}

void check_lists(std::string_view op, const NamedTable& counts, const NamedTable& lists,
                 std::uint64_t count) {
    const std::size_t columns = row_length(lists.values.shape);
    check_indices(op, counts, columns + 1, Nobody::Forbidden);
    const auto live = counts.values.as<std::uint32_t>();
    for (std::size_t e = 0; e < live.size(); ++e) {
        check_entries(op, lists, count, Nobody::Forbidden, e * columns, e * columns + live[e]);
    }
}

void check_selects_once(std::string_view op, const NamedTable& ids) {
    const auto entries = ids.values.as<std::int32_t>();
    const std::size_t columns = row_length(ids.values.shape);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        // A quadratic search within a token: top_k is small (8 in DeepSeek-V3), so a set would not
        // be faster.
        for (std::size_t before = i / columns * columns; before < i; ++before) {
            if (entries[i] != kNobody && entries[i] == entries[before]) {
                throw OperandError(
                    std::string(ids.name),
                    fmt::format("{}: {} is {}, as is {}; a token selects an expert once", op,
                                place_in(ids, i), entries[i], place_in(ids, before)));
            }
        }
    }
}

void check_expert_map(std::string_view op, const HostTensor& map, std::uint32_t num_local) {
    const auto entries = map.as<std::int32_t>();
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (entries[i] < kNobody || entries[i] >= static_cast<std::int64_t>(num_local)) {
            throw OperandError(
                "expert_map",
                fmt::format("{}: expert_map[{}] is {}; allowed: -1 (another device's) or 0 to {}",
                            op, i, entries[i], num_local - 1));
        }
    }
}

}  // namespace tessera::ops
