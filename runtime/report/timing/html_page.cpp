// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/html_page.hpp"

#include <nlohmann/json.hpp>
#include <string_view>

#include "runtime/report/packed_text.hpp"
#include "tessera/errors.hpp"

namespace tessera::report {
namespace {

std::string escaped(std::string_view text) {
    std::string html;
    for (const char letter : text) {
        switch (letter) {
            case '&':
                html += "&amp;";
                break;
            case '<':
                html += "&lt;";
                break;
            case '>':
                html += "&gt;";
                break;
            default:
                html += letter;
        }
    }
    return html;
}

// Escapes "<", since "</script" would end the script element. In JSON, "<" occurs in strings only.
std::string embeddable(const std::string& json) {
    std::string text;
    text.reserve(json.size());
    for (const char letter : json) {
        if (letter == '<') {
            text += "\\u003c";
        } else {
            text += letter;
        }
    }
    return text;
}

/// Copies the page up to a placeholder and writes `text` instead of it.
void fill(std::string_view& page, std::string_view place, std::string_view text,
          std::string& html) {
    const std::size_t at = page.find(place);
    ensure(at != std::string_view::npos, "the page has no place {}", place);
    html += page.substr(0, at);
    html += text;
    page.remove_prefix(at + place.size());
}

}  // namespace

std::string html_page(const HtmlParts& parts, const nlohmann::ordered_json& data, PageData form) {
    std::string_view page = parts.page;
    const std::string script =
        "\"use strict\";\n(async () => {\n" + std::string(parts.scripts) + "})();\n";
    std::string html;
    fill(page, "@TITLE@", escaped("Tessera: " + data.at("name").get<std::string>()), html);
    fill(page, "@STYLE@", parts.styles, html);
    const std::string text = data.dump();
    fill(page, "@DATA@", form == PageData::Packed ? packed_text(text) : embeddable(text), html);
    fill(page, "@SCRIPT@", script, html);
    return html + std::string(page);
}

}  // namespace tessera::report
