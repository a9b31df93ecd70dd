// SPDX-License-Identifier: Apache-2.0
// Pages that hold their data: one file that needs no network and no other file.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace tessera::report {

/// The texts of a page, embedded when Tessera is built (cmake/EmbedHtml.cmake).
struct HtmlParts {
    std::string_view page;  ///< with the places @TITLE@, @STYLE@, @DATA@ and @SCRIPT@
    std::string_view styles;
    std::string_view scripts;
};

/// The page of report.html, for what to_json gives of a TimingReport.
extern const HtmlParts kReportPage;

/// Encoding of a page's data: plain, or packed by packed_text.
enum class PageData : std::uint8_t { Plain, Packed };

/// Puts `data`, with its key "name" as the title, into a page. Any text of `data` is safe there.
[[nodiscard]] std::string html_page(const HtmlParts& parts, const nlohmann::ordered_json& data,
                                    PageData form = PageData::Plain);

}  // namespace tessera::report
