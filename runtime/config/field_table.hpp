// SPDX-License-Identifier: Apache-2.0
// The tables of fields as documentation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emu/base/fields/field.hpp"

namespace tessera::config {

/// The rows of run files, of the block `sweep:`, of arch files, and of their section `timing`.
[[nodiscard]] std::span<const Field> run_fields();
[[nodiscard]] std::span<const Field> sweep_fields();
[[nodiscard]] std::span<const Field> arch_fields();
[[nodiscard]] std::span<const Field> timing_fields();

/// One key, flattened: "ops.moe_bmm.k_block".
struct FieldRow {
    std::string path;
    std::string allowed;       ///< type, unit or words, with limits
    std::string default_text;  ///< or "required"
    std::string prose;
};

/// All keys below sections, in the order of the tables; `prefix` stands before each path.
[[nodiscard]] std::vector<FieldRow> flatten(std::span<const Field> fields,
                                            const std::string& prefix = "");

/// The advisor's bound that a timing constant belongs to: constants of a bound are made free or
/// unlimited together, which shows the most that a schedule can gain there.
enum class Bound : std::uint8_t {
    None,           ///< of no bound: no act of a kernel pays it, or a trace has it settled
    Dram,           ///< banks and controllers of DRAM
    NocLinks,       ///< links and buffers of routers
    NocPorts,       ///< what cores and banks put into the NoC and take out of it
    NocLatency,     ///< time under way of a packet that meets no other
    NocInFlight,    ///< how much may be under way at a time
    MeshLinks,      ///< links between devices, their routers and muxes
    Engines,        ///< work of unpack, math and pack
    CallStarts,     ///< what their calls take beside their work
    TransferIssue,  ///< instructions of calls that move data
    HandOver,       ///< CB calls, semaphores and barriers
    Instructions,   ///< a kernel's own instructions between calls
    Launch,         ///< dispatch and firmware
};
inline constexpr std::size_t kNumBounds = 13;

/// The bound of a key below `timing`, such as "noc.hop" or "sfpu.functions.exp"; none if there is
/// no such key.
[[nodiscard]] std::optional<Bound> bound_of(std::string_view key);

/// Whether a table has a column of defaults: device files state every key, and have none.
enum class Defaults : std::uint8_t { Shown, Omitted };

/// A Markdown table of keys: key, value, default, meaning.
[[nodiscard]] std::string to_markdown(std::span<const FieldRow> rows,
                                      Defaults defaults = Defaults::Shown);

}  // namespace tessera::config
