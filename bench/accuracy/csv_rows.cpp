// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/csv_rows.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "emu/base/input_file.hpp"
#include "tessera/errors.hpp"

namespace tessera::score {
namespace {

/// Member of Row that a column fills with its text; `value` is parsed as a number.
struct TextColumn {
    std::string_view name;
    std::string Row::*member;
};
constexpr std::array<TextColumn, 7> kTextColumns{{{"id", &Row::id},
                                                  {"arch", &Row::arch},
                                                  {"workload", &Row::workload},
                                                  {"parameters", &Row::parameters},
                                                  {"metric", &Row::metric},
                                                  {"unit", &Row::unit},
                                                  {"group", &Row::group}}};

struct Record {
    std::uint32_t line = 0;
    std::vector<std::string> fields;
};

/// Iterates over the records of a CSV text.
class Records {
public:
    Records(std::string_view text, const std::string& name) : text_(text), name_(name) {}

    std::optional<Record> next() {
        while (take('\n') || take('\r')) {  // empty lines
        }
        if (at_ == text_.size()) {
            return std::nullopt;
        }
        Record record{.line = line_, .fields = {}};
        do {
            record.fields.push_back(take('"') ? quoted() : plain());
        } while (take(','));
        require(at_ == text_.size() || take('\r') || take('\n'),
                "{}:{}: text behind a closing quote, allowed: a comma or the line's end", name_,
                line_);
        return record;
    }

private:
    bool take(char wanted) {
        if (at_ == text_.size() || text_[at_] != wanted) {
            return false;
        }
        line_ += wanted == '\n' ? 1 : 0;
        ++at_;
        return true;
    }
    std::string plain() {
        const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
        const std::string_view field = text_.substr(at_, end - at_);
        at_ = end;
        return std::string(field);
    }
    std::string quoted() {
        const std::uint32_t begin = line_;
        std::string field;
        for (;;) {
            require(at_ < text_.size(), "{}:{}: a quote is not closed", name_, begin);
            const char character = text_[at_];
            (void)take(character);
            if (character == '"' && !take('"')) {  // a doubled quote is an escaped quote
                return field;
            }
            field += character;
        }
    }

    std::string_view text_;
    const std::string& name_;
    std::size_t at_ = 0;
    std::uint32_t line_ = 1;
};

/// Finds the index of each column in the first line.
class Columns {
public:
    Columns(const Record& header, const std::string& name) : count_(header.fields.size()) {
        for (std::size_t i = 0; i < count_; ++i) {
            index_.emplace(header.fields[i], i);
        }
        for (const TextColumn& column : kTextColumns) {
            require_column(column.name, name, header.line);
        }
        require_column("value", name, header.line);
    }
    [[nodiscard]] const std::string& of(const Record& record, std::string_view column) const {
        return record.fields[index_.at(std::string(column))];
    }
    [[nodiscard]] std::size_t count() const noexcept { return count_; }

private:
    void require_column(std::string_view column, const std::string& name, std::uint32_t line) {
        require(index_.contains(std::string(column)),
                "{}:{}: no column {}; needed: id, arch, workload, parameters, metric, value, unit "
                "and group",
                name, line, column);
    }
    std::unordered_map<std::string, std::size_t> index_;
    std::size_t count_;
};

double parse_value(const std::string& text, const std::string& name, std::uint32_t line) {
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    require(error == std::errc() && rest == end && std::isfinite(value) && value > 0,
            "{}:{}: value {}: allowed: a number above 0", name, line, text);
    return value;
}

Row parse_row(const Record& record, const Columns& columns, const std::string& name) {
    require(record.fields.size() == columns.count(), "{}:{}: {} fields, the first line has {}",
            name, record.line, record.fields.size(), columns.count());
    Row row{.line = record.line};
    for (const TextColumn& column : kTextColumns) {
        row.*column.member = columns.of(record, column.name);
    }
    row.value = parse_value(columns.of(record, "value"), name, record.line);
    require(!row.id.empty(), "{}:{}: id is empty", name, record.line);
    require(!row.group.empty(), "{}:{}: group is empty", name, record.line);
    require(row.arch == "wormhole" || row.arch == "blackhole",
            "{}:{}: arch {}: allowed: wormhole or blackhole", name, record.line, row.arch);
    return row;
}

}  // namespace

std::vector<Row> parse_csv(std::string_view text, const std::string& name) {
    Records records(text, name);
    const std::optional<Record> header = records.next();
    require(header.has_value(), "{}:1: empty, no columns are named", name);
    const Columns columns(*header, name);
    std::vector<Row> rows;
    std::unordered_map<std::string, std::uint32_t> lines;
    for (auto record = records.next(); record; record = records.next()) {
        rows.push_back(parse_row(*record, columns, name));
        const auto [first, is_new] = lines.emplace(rows.back().id, record->line);
        require(is_new, "{}:{}: id {} is that of line {} too", name, record->line, rows.back().id,
                first->second);
    }
    return rows;
}

std::vector<Row> read_csv(const std::filesystem::path& path) {
    // A row of the shipped file has 200 bytes.
    constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20U;
    return parse_csv(read_input(path, kMostBytes), path.string());
}

}  // namespace tessera::score
