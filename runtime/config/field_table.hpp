// SPDX-License-Identifier: Apache-2.0
// The tables of fields as documentation.
#pragma once

#include <span>
#include <string>
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

/// A Markdown table of the run file's keys: key, value, default, meaning. README.md holds it
/// between `<!-- config-table -->` and `<!-- /config-table -->`, and one of the block `sweep:`.
[[nodiscard]] std::string to_markdown(std::span<const FieldRow> rows);

}  // namespace tessera::config
