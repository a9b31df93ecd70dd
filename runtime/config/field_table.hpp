// SPDX-License-Identifier: Apache-2.0
// Tables of configuration keys: their documentation, and the role of each timing constant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emu/base/fields/field.hpp"
#include "tessera/timeline.hpp"

namespace tessera::config {

/// Returns the return the fields of run files, of the block `sweep:`, of arch files, and of their
/// section `timing`.
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

/// Returns all keys below sections, in the order of the tables, with `prefix` before each path.
[[nodiscard]] std::vector<FieldRow> flatten(std::span<const Field> fields,
                                            const std::string& prefix = "");

/// Advisor's bound of a timing constant. Constants of a bound are made free or unlimited together,
/// which shows the largest gain that a schedule can have there.
enum class Bound : std::uint8_t {
    None,           ///< no bound: no kernel pays it, or the trace already decides it
    Dram,           ///< banks and controllers of DRAM
    NocLinks,       ///< links and buffers of routers
    NocPorts,       ///< injection and ejection of cores and banks
    NocLatency,     ///< transit time of a packet without contention
    NocInFlight,    ///< limits of transfers in flight
    MeshLinks,      ///< links between devices, their routers and muxes
    Engines,        ///< work of unpack, math and pack
    CallStarts,     ///< overhead of compute calls besides their work
    TransferIssue,  ///< instructions of calls that move data
    HandOver,       ///< CB calls, semaphores and barriers
    Instructions,   ///< a kernel's own instructions between calls
    Launch,         ///< dispatch and firmware
};
inline constexpr std::size_t kNumBounds = 13;

/// Returns the bound of a key below `timing`, such as "noc.hop" or "sfpu.functions.exp"; nothing
/// for an unknown key.
[[nodiscard]] std::optional<Bound> bound_of(std::string_view key);

/// Timing constant in the list of those that price a time.
struct PricedConstant {
    std::string key;  ///< below `timing`: "risc.read_issue"; with '.' at its end, all keys below it
    Bound bound{};
};

/// Returns the constants that price `activity`. For a wait these are only the limits of transfers
/// in flight; other constants price the event that ends the wait. `passed` is the resource that the
/// awaited transfer passes: then the constants that lengthen this passage.
[[nodiscard]] std::span<const PricedConstant> constants_of(
    Activity activity, ResourceKind passed = ResourceKind::None);
/// Returns the constants that price the time between programs.
[[nodiscard]] std::span<const PricedConstant> constants_of_gaps();

/// Whether a table has a column of defaults. Device files state every key and have no defaults.
enum class Defaults : std::uint8_t { Shown, Omitted };

/// Returns a Markdown table of keys: key, value, default, meaning.
[[nodiscard]] std::string to_markdown(std::span<const FieldRow> rows,
                                      Defaults defaults = Defaults::Shown);

}  // namespace tessera::config
