// SPDX-License-Identifier: Apache-2.0
// Pages about the keys of run files, sweeps and device files and about ops, written from the tables
// that bind them.
#pragma once

#include <string>
#include <vector>

#include "ops/op.hpp"

namespace tessera::config {

/// A generated page of the documentation.
struct Page {
    std::string path;  ///< below docs, such as "ops/moe_bmm.md"
    std::string text;  ///< Markdown
};

/// Returns the index configuration.md, then the pages that it links to: keys/*.md and one page per
/// op.
[[nodiscard]] std::vector<Page> key_pages();

/// Returns ops/NAME.md: operands, parameters and tolerance of one op.
[[nodiscard]] Page op_page(const ops::Op& op);

/// Returns device_keys.md: keys of device files (configs/arch) with unit or type, allowed range and
/// meaning.
[[nodiscard]] Page device_key_page();

}  // namespace tessera::config
