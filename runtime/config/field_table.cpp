// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/field_table.hpp"

#include <fmt/format.h>

#include "runtime/config/fields/arch_fields.hpp"
#include "runtime/config/fields/run_fields.hpp"
#include "runtime/config/fields/sweep_fields.hpp"
#include "runtime/config/limits.hpp"

namespace tessera::config {
namespace {

std::string allowed_of(const Field& field) {
    const std::string limits = show_limits(field.limits);
    if (limits.empty()) {
        return field.allowed();
    }
    const std::string allowed = field.allowed();
    // "a whole number, 1 to 64" is shortened to "1 to 64".
    const bool is_number =
        allowed.starts_with("a ") && !allowed.starts_with("a list") && field.unit.empty();
    return is_number ? limits : fmt::format("{}, {}", allowed, limits);
}

/// Appends the rows of a field: of a section, its fields; of a list of maps, its fields below "[]".
void append_rows(const Field& field, const std::string& path, std::vector<FieldRow>& rows) {
    if (!field.fields.empty()) {
        const std::string below = path + (field.kind == FieldKind::FactList ? "[]." : ".");
        const auto inner = flatten(field.fields, below);
        rows.insert(rows.end(), inner.begin(), inner.end());
        return;
    }
    // The row is for the page, so that a required key has a word in place of its default.
    const bool is_required = field.default_text == kRequired;
    rows.push_back({path, allowed_of(field),
                    std::string(is_required ? "required" : field.default_text),
                    std::string(field.prose)});
}

/// Escapes '|', which separates cells of a Markdown table.
std::string cell(std::string_view text) {
    std::string escaped;
    for (const char letter : text) {
        escaped += letter == '|' ? "\\|" : std::string(1, letter);
    }
    return escaped;
}

std::string default_cell(const FieldRow& row) {
    return row.default_text == "required" ? row.default_text : "`" + row.default_text + "`";
}

}  // namespace

std::span<const Field> run_fields() {
    return kRunFields;
}

std::span<const Field> sweep_fields() {
    return kSweepFields;
}

std::span<const Field> arch_fields() {
    return kArchFields;
}

std::vector<FieldRow> flatten(std::span<const Field> fields, const std::string& prefix) {
    std::vector<FieldRow> rows;
    for (const Field& field : fields) {
        append_rows(field, prefix + std::string(field.key), rows);
    }
    return rows;
}

std::string to_markdown(std::span<const FieldRow> rows, Defaults defaults) {
    // A device file states every key, so that its table has no defaults.
    const bool shown = defaults == Defaults::Shown;
    std::string text = shown ? "| key | value | default | meaning |\n|---|---|---|---|\n"
                             : "| key | value | meaning |\n|---|---|---|\n";
    for (const FieldRow& row : rows) {
        text += fmt::format("| `{}` | {} |{} {} |\n", row.path, cell(row.allowed),
                            shown ? fmt::format(" {} |", default_cell(row)) : "", cell(row.prose));
    }
    return text;
}

}  // namespace tessera::config
