// SPDX-License-Identifier: Apache-2.0
// Code that ops on tables of routed rows share: L1 as scratch for whole tables, and their
// references.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "ops/op.hpp"
#include "ops/shared/program_builder.hpp"
#include "tessera/program.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops {

/// The entry of a table that names no expert, token or row.
inline constexpr std::int32_t kNobody = -1;

/// Return the elements of a row, and the rows of a tensor of any rank: all extents but the last.
[[nodiscard]] std::uint32_t row_length(const Shape& shape);
[[nodiscard]] std::uint32_t num_rows(const Shape& shape);

/// A circular buffer that kernels use as plain memory; an enum of circular buffers names it.
struct Scratch {
    template <class Cb>
    requires std::is_enum_v<Cb> Scratch(Cb cb, std::uint64_t size)
        : index(static_cast<std::uint8_t>(index_of(cb))), bytes(size) {}
    /// By number, for kernels that do not name their circular buffers.
    Scratch(std::uint8_t cb, std::uint64_t size) : index(cb), bytes(size) {}

    std::uint8_t index;
    std::uint64_t bytes;
};
[[nodiscard]] std::uint64_t bytes_of(std::span<const Scratch> scratch, std::uint32_t alignment);
void add_scratch(Program& program, const CoreRangeSet& cores, std::span<const Scratch> scratch,
                 std::uint32_t alignment);
/// Checks that the scratch of an op fits a core's L1; a violation names `blamed`.
void judge_scratch(const ArchSpec& arch, std::span<const Scratch> scratch, std::string_view blamed,
                   RuleJudge& judge);

/// Returns whether counts of experts have a page each: (E, 1), not (E).
[[nodiscard]] bool is_paged(const Shape& counts);
/// Returns the bytes of L1 that reading them takes.
[[nodiscard]] std::uint64_t counts_bytes(const Shape& counts);

/// Returns DRAM's alignment, to which pages are padded.
[[nodiscard]] std::uint32_t dram_alignment(const ArchSpec& arch);

/// Appends the accessors of tensors to compile-time arguments.
void append_accessors(std::initializer_list<const DeviceTensor*> tensors,
                      std::vector<std::uint32_t>& args);

/// Returns a program of one data-movement kernel on core (0,0), whose runtime arguments are the
/// tensors' addresses and `more`.
template <class Args, class Tensors, class... More>
[[nodiscard]] Program one_core_program(const std::string& kernel, const Args& args,
                                       const Tensors& tensors, std::span<const Scratch> scratch,
                                       std::uint32_t alignment, const More&... more) {
    const CoreCoord core{0, 0};
    const CoreRangeSet cores(CoreRange(core, core));
    Program program = CreateProgram();
    add_scratch(program, cores, scratch, alignment);
    const KernelHandle handle = CreateKernel(program, kernel, cores, reader_config(args, tensors));
    set_args(program, handle, core, addresses_of(tensors), more...);
    return program;
}

/// Returns a host tensor of int32 filled with one value.
[[nodiscard]] HostTensor filled_int32(Shape shape, std::int32_t value);

/// Returns the local expert of each (token, choice), in the table's order; kNobody if the id is
/// outside of 0 to num_experts − 1, or if the map assigns the expert to another device.
/// Shapes   topk_ids (T,K) of 32-bit integers; expert_map (num_experts) or null.
[[nodiscard]] std::vector<std::int32_t> local_experts_of(const HostTensor& topk_ids,
                                                         const HostTensor* expert_map,
                                                         std::uint32_t num_experts);

/// Returns flags of `rows` rows in one equal batch per count: true for the first counts[b] of each.
[[nodiscard]] std::vector<bool> first_rows(std::uint32_t rows, const HostTensor& counts);

/// A table of 32-bit integers under the name of its operand.
struct NamedTable {
    std::string_view name;
    HostTensor values;
};
/// Returns an operand's values under its name in the op's table of operands.
[[nodiscard]] inline NamedTable named_table(std::span<const Operand> operands,
                                            const ReferenceContext& context, std::size_t operand) {
    return {operands[operand].name, context.read(operand)};
}
/// Whether a table may hold kNobody.
enum class Nobody : std::uint8_t { Allowed, Forbidden };
/// Checks tables that name experts, tokens or rows by number: an entry is 0 to `count` − 1, or
/// kNobody if that is allowed. Examines the first `num_live` of the first extent; entries after
/// them are unused.
/// Errors   OperandError naming op, table, element, value and what is allowed.
void check_indices(std::string_view op, const NamedTable& table, std::uint64_t count, Nobody nobody,
                   std::uint64_t num_live = UINT64_MAX);
/// Checks the entries [begin, end) as above.
void check_entries(std::string_view op, const NamedTable& table, std::uint64_t count, Nobody nobody,
                   std::size_t begin, std::size_t end);
/// Checks counts of the first rows of equal batches that hold values: each is 0 to the rows of a
/// batch. `rows` is the number of rows of all batches.
/// Errors   as check_indices.
void check_batch_counts(std::string_view op, const NamedTable& counts, std::uint32_t rows);
/// Checks one list per expert; its first counts[e] entries are live.
/// Shapes   counts (E, 1), lists (E, C).
void check_lists(std::string_view op, const NamedTable& counts, const NamedTable& lists,
                 std::uint64_t count);
/// Checks the rule of ops that have one row for a token and an expert: no row of `ids` names an
/// expert twice.
/// Errors   UsageError naming op, both elements and the expert.
void check_selects_once(std::string_view op, const NamedTable& ids);

/// Errors   UsageError naming tensor, position, value and what is allowed, if an entry of `map` is
///          outside of −1 to num_local − 1.
void check_expert_map(std::string_view op, const HostTensor& map, std::uint32_t num_local);

}  // namespace tessera::ops
