// SPDX-License-Identifier: Apache-2.0
// Reads values of a config.json, and records each with its key, or with the default that replaces
// it.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "runtime/model/config_json.hpp"
#include "runtime/model/read_model.hpp"
#include "tessera/errors.hpp"

namespace tessera::model {

/// File and result outlive the reader.
class ValueReader {
public:
    ValueReader(const ConfigJson& file, ReadModel& result) : file_(file), result_(result) {}

    [[nodiscard]] const ConfigJson& file() const { return file_; }
    [[nodiscard]] MoeModel& model() { return result_.model; }
    /// Adds a sentence without its full stop.
    void assume(std::string sentence) { result_.assumptions.push_back(std::move(sentence)); }

    // Each returns a value of the file; those with `otherwise` return it for an absent key.
    // Errors   as those of ConfigJson.
    std::uint32_t count(const char* name, std::string_view key, CountRange range = {}) {
        return noted(name, key, file_.count(key, range));
    }
    std::uint32_t count_or(const char* name, std::string_view key, std::uint32_t otherwise,
                           CountRange range = {}) {
        return file_.has(key) ? count(name, key, range) : defaulted(key, otherwise);
    }
    /// Returns `otherwise` if the key is absent, and `none` if it is null: a model without the part
    /// writes null.
    std::uint32_t count_or_none(const char* name, std::string_view key, std::uint32_t otherwise,
                                std::uint32_t none, CountRange range = {}) {
        return file_.is_null(key) ? noted(name, key, none) : count_or(name, key, otherwise, range);
    }
    double number_or(const char* name, std::string_view key, double otherwise,
                     NumberRange range = {}) {
        return file_.has(key) ? noted(name, key, file_.number(key, range))
                              : defaulted(key, otherwise);
    }
    bool flag_or(const char* name, std::string_view key, bool otherwise) {
        return file_.has(key) ? noted(name, key, file_.flag(key)) : defaulted(key, otherwise);
    }
    std::string text_or(const char* name, std::string_view key, std::string_view otherwise) {
        return file_.has(key) ? noted(name, key, file_.text(key))
                              : defaulted(key, std::string(otherwise));
    }

    /// Refuses a value that contradicts another key.
    void require_value(bool holds, std::string_view key, std::string_view allowed) const {
        if (!holds) {
            file_.refuse_beside(key, allowed);
        }
    }

private:
    template <class T>
    T noted(const char* name, std::string_view key, T value) {
        result_.taken.push_back({name, fmt::format("{}", value), std::string(key)});
        return value;
    }
    template <class T>
    T defaulted(std::string_view key, T value) {
        assume(fmt::format("{} is absent: {}, the default of the model's class", key, value));
        return value;
    }

    const ConfigJson& file_;
    ReadModel& result_;
};

/// Reads the numbers of attention into the model.
void read_attention(ValueReader& reader, MoeModel& model);

}  // namespace tessera::model
