// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/config_json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include "tessera/errors.hpp"

namespace tessera::model {
namespace {

/// Reads characters and keeps count of the line and the column, which the parser's events lack.
class CountingIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    CountingIterator(const char* at, std::size_t* read) : at_(at), read_(read) {}
    reference operator*() const { return *at_; }
    CountingIterator& operator++() {
        ++at_;
        ++*read_;
        return *this;
    }
    CountingIterator operator++(int) {
        CountingIterator before = *this;
        ++*this;
        return before;
    }
    bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
    bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

private:
    const char* at_;
    std::size_t* read_;
};

/// An error in a text of JSON.
struct JsonError {
    std::size_t at = 0;  ///< byte
    std::string number;  ///< the number that no double can represent, or empty
};

/// Records the end of each key and the first error. A key ends where the parser has read to when it
/// reports the key.
class KeyEnds : public nlohmann::json_sax<nlohmann::json> {
public:
    KeyEnds(const std::size_t& read, std::multimap<std::string, std::size_t>& ends)
        : read_(read), ends_(ends) {}

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_object(std::size_t) override {
        path_.push_back(key_);
        return true;
    }
    bool end_object() override {
        path_.pop_back();
        return true;
    }
    // Keys of objects in lists are not looked up, and objects of one list share their names.
    bool start_array(std::size_t) override {
        ++lists_;
        return start_object(0);
    }
    bool end_array() override {
        --lists_;
        return end_object();
    }
    bool key(string_t& name) override {
        key_ = (path_.empty() || path_.back().empty() ? "" : path_.back() + ".") + name;
        if (lists_ == 0) {
            ends_.emplace(key_, read_ - name.size() - 1);
        }
        return true;
    }
    bool parse_error(std::size_t position, const std::string& token,
                     const nlohmann::json::exception& error) override {
        const bool is_number = dynamic_cast<const nlohmann::json::out_of_range*>(&error) != nullptr;
        const std::size_t length = is_number ? token.size() : 1;
        error_ = {.at = position < length ? 0 : position - length,
                  .number = is_number ? token : std::string()};
        return false;
    }
    /// The first error of the text.
    [[nodiscard]] const std::optional<JsonError>& error() const { return error_; }

private:
    const std::size_t& read_;
    std::multimap<std::string, std::size_t>& ends_;
    std::vector<std::string> path_;
    std::size_t lists_ = 0;
    std::string key_;
    std::optional<JsonError> error_;
};

std::string text_of(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    require(stream.good() && std::filesystem::is_regular_file(path), "{}: cannot be read",
            path.string());
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

/// Line and column, both from 1, of a byte of a text.
std::pair<std::size_t, std::size_t> line_and_column(const std::string& text, std::size_t at) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(at, text.size()));
    const auto line = 1 + std::count(text.begin(), end, '\n');
    const std::size_t start = text.rfind('\n', at == 0 ? 0 : at - 1);
    return {static_cast<std::size_t>(line), at - (start == std::string::npos ? 0 : start + 1) + 1};
}

}  // namespace

ConfigJson::ConfigJson(const std::filesystem::path& path) : path_(path.string()) {
    const std::string text = text_of(path);
    read_positions(text);
    values_ = nlohmann::json::parse(text);
    require(values_.is_object(), "{}: holds {}; allowed: an object {{\"model_type\": …}}", path_,
            values_.type_name());
}

void ConfigJson::read_positions(const std::string& text) {
    std::size_t read = 0;
    std::multimap<std::string, std::size_t> ends;
    KeyEnds keys(read, ends);
    nlohmann::json::sax_parse(CountingIterator(text.data(), &read),
                              CountingIterator(text.data() + text.size(), &read), &keys);
    if (const auto& error = keys.error()) {
        const auto [line, column] = line_and_column(text, error->at);
        throw UsageError(fmt::format(
            "{}:{}:{}: {}; allowed: {}", path_, line, column,
            error->number.empty() ? "not JSON" : error->number + " is out of range",
            error->number.empty() ? "the config.json of a model" : "numbers below 1.8e308"));
    }
    for (const auto& [key, end] : ends) {
        const std::size_t start = text.rfind('"', end == 0 ? 0 : end - 1);
        const auto [line, column] = line_and_column(text, start == std::string::npos ? 0 : start);
        const auto [first, is_first] = positions_.emplace(key, Position{line, column});
        require(is_first, "{}:{}:{}: {}: duplicate key, first at {}:{}", path_, line, column, key,
                first->second.line, first->second.column);
    }
}

void ConfigJson::enter(std::string_view section) {
    const nlohmann::json* inner = find(section);
    if (inner != nullptr) {
        if (!inner->is_object()) {
            refuse(section, *inner, "an object with the keys of the language model");
        }
        prefix_ += std::string(section) + ".";
        values_ = nlohmann::json(*inner);
    }
}

const nlohmann::json* ConfigJson::find(std::string_view key) const {
    const auto found = values_.find(std::string(key));
    return found == values_.end() || found->is_null() ? nullptr : &*found;
}

bool ConfigJson::has(std::string_view key) const {
    return find(key) != nullptr;
}

bool ConfigJson::is_null(std::string_view key) const {
    const auto found = values_.find(std::string(key));
    return found != values_.end() && found->is_null();
}

std::string ConfigJson::place(std::string_view key) const {
    const std::string full = prefix_ + std::string(key);
    const auto found = positions_.find(full);
    if (found == positions_.end()) {
        return fmt::format("{}: {}", path_, full);
    }
    return fmt::format("{}:{}:{}: {}", path_, found->second.line, found->second.column, full);
}

const nlohmann::json& ConfigJson::at(std::string_view key) const {
    const nlohmann::json* found = find(key);
    require(found != nullptr, "{}: {}, and this model needs it", place(key),
            values_.contains(std::string(key)) ? "is null" : "is missing");
    return *found;
}

void ConfigJson::refuse(std::string_view key, const nlohmann::json& found,
                        std::string_view allowed) const {
    constexpr std::size_t kLongest = 60;
    std::string shown = found.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    if (shown.size() > kLongest) {
        shown = shown.substr(0, kLongest) + "…";
    }
    throw UsageError(fmt::format("{}: is {}; allowed: {}", place(key), shown, allowed));
}

namespace {

/// Returns whether a number is whole and in range; 8.0 is not a whole number in JSON of models.
bool is_count(const nlohmann::json& value, CountRange range) {
    return value.is_number_integer() && value.get<double>() >= range.least &&
           value.get<double>() <= range.most;
}

std::string words_of(CountRange range) {
    return fmt::format("a whole number from {} to {}", range.least, range.most);
}

}  // namespace

std::uint32_t ConfigJson::count(std::string_view key, CountRange range) const {
    const nlohmann::json& value = at(key);
    if (!is_count(value, range)) {
        refuse(key, value, words_of(range));
    }
    return value.get<std::uint32_t>();
}

double ConfigJson::number(std::string_view key, NumberRange range) const {
    const nlohmann::json& value = at(key);
    if (!value.is_number() || !std::isfinite(value.get<double>())) {
        refuse(key, value, "a number");
    }
    const auto number = value.get<double>();
    if (number < range.least || number > range.most) {
        refuse(key, value, fmt::format("a number from {} to {}", range.least, range.most));
    }
    return number;
}

void ConfigJson::refuse_beside(std::string_view key, std::string_view allowed) const {
    refuse(key, at(key), fmt::format("{} (beside the other keys)", allowed));
}

bool ConfigJson::flag(std::string_view key) const {
    const nlohmann::json& value = at(key);
    if (!value.is_boolean()) {
        refuse(key, value, "true or false");
    }
    return value.get<bool>();
}

std::string ConfigJson::text(std::string_view key) const {
    const nlohmann::json& value = at(key);
    if (!value.is_string()) {
        refuse(key, value, "a text");
    }
    return value.get<std::string>();
}

std::vector<std::string> ConfigJson::words(std::string_view key) const {
    const nlohmann::json& value = at(key);
    std::vector<std::string> words;
    for (const nlohmann::json& word : value.is_array() ? value : nlohmann::json::array({value})) {
        if (!word.is_string()) {
            refuse(key, value, "a list of texts");
        }
        words.push_back(word.get<std::string>());
    }
    return words;
}

std::vector<std::uint32_t> ConfigJson::counts(std::string_view key, CountRange range) const {
    const nlohmann::json& value = at(key);
    std::vector<std::uint32_t> counts;
    for (const nlohmann::json& count : value) {
        if (!value.is_array() || !is_count(count, range)) {
            refuse(key, value,
                   fmt::format("a list of whole numbers from {} to {}", range.least, range.most));
        }
        counts.push_back(count.get<std::uint32_t>());
    }
    return counts;
}

std::vector<std::string> ConfigJson::keys() const {
    std::vector<std::string> names;
    for (const auto& [name, value] : values_.items()) {
        names.push_back(name);
    }
    return names;
}

ConfigJson ConfigJson::section(std::string_view key) const {
    const nlohmann::json& value = at(key);
    if (!value.is_object()) {
        refuse(key, value, "a map");
    }
    ConfigJson inner = *this;
    inner.enter(key);
    return inner;
}

}  // namespace tessera::model
