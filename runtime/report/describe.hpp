// SPDX-License-Identifier: Apache-2.0
// Writes and reads reported structs as JSON, with one description for each struct.
//
// A struct is described by an overload of describe() that names its members once, in the order in
// which JSON has them; whatever else walks reported structs can take the same description:
//
//     template <class Fields, Either<BoundShare> Bound>
//     void describe(Fields& fields, Bound& bound) {
//         fields("name", bound.name);
//         fields("time", bound.time);
//     }
//
// Fields are a JsonWriter, for a const struct, or a JsonReader.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/report/device_rows.hpp"
#include "runtime/report/step_bound.hpp"
#include "runtime/report/timing/activity_words.hpp"

namespace tessera::report {

using Json = nlohmann::ordered_json;

/// Struct or const Struct, so that one description serves writing and reading.
template <class T, class Struct>
concept Either = std::same_as<std::remove_const_t<T>, Struct>;

/// Returns element `i` of rows; when rows are read, the element is created.
template <class Row>
[[nodiscard]] const Row& row_at(const std::vector<Row>& rows, std::size_t i) {
    return rows.at(i);
}
template <class Row>
[[nodiscard]] Row& row_at(std::vector<Row>& rows, std::size_t i) {
    if (i >= rows.size()) {
        rows.resize(i + 1);
    }
    return rows[i];
}

/// Writes described structs. Enums are written as their keys; numbers that are not finite become
/// null.
class JsonWriter {
public:
    /// Adds a member.
    template <class T>
    void operator()(const char* key, const T& value) {
        json_[key] = write(value);
    }
    /// Adds a value that `make()` computes from members; readers skip it.
    template <class Make>
    void derived(const char* key, Make make) {
        json_[key] = write(make());
    }
    /// Adds a member in the form of `Code::write`.
    template <class Code, class T>
    void coded(const char* key, const T& value) {
        json_[key] = Code::write(value);
    }
    /// Adds an object of the fields that `describe_section(fields)` names.
    template <class Describe>
    void section(const char* key, Describe describe_section) {
        JsonWriter fields;
        describe_section(fields);
        json_[key] = fields.take();
    }
    /// Adds an object of `describe_section(fields, *value)`, or null.
    template <class T, class Describe>
    void optional_section(const char* key, const std::optional<T>& value,
                          Describe describe_section) {
        json_[key] = nullptr;
        if (value) {
            section(key, [&](JsonWriter& fields) { describe_section(fields, *value); });
        }
    }
    /// Adds an array of objects of the fields that `describe_row(fields, row, index)` names.
    template <class Row, class Describe>
    void list(const char* key, const std::vector<Row>& rows, Describe describe_row) {
        Json array = Json::array();
        for (std::size_t i = 0; i < rows.size(); ++i) {
            JsonWriter fields;
            describe_row(fields, rows[i], i);
            array.push_back(fields.take());
        }
        json_[key] = std::move(array);
    }
    /// Adds an array of rows with a key `device`; rows that are equal on several devices are
    /// written once.
    template <class Row, class Describe>
    void device_rows(const char* key, const std::vector<Row>& rows, Describe describe_row) {
        list(key, rows, describe_row);
        json_[key] = fold_devices(std::move(json_[key]));
    }
    /// Returns the object so far and starts an empty one.
    [[nodiscard]] Json take() { return std::exchange(json_, Json::object()); }

    /// Returns a value as JSON: a described struct, or a container of such.
    template <class T>
    [[nodiscard]] static Json write(const T& value) {
        if constexpr (requires(JsonWriter & fields) { describe(fields, value); }) {
            JsonWriter fields;
            describe(fields, value);
            return fields.take();
        } else if constexpr (std::floating_point<T>) {
            return std::isfinite(value) ? Json(value) : Json(nullptr);
        } else {
            return Json(value);
        }
    }
    [[nodiscard]] static Json write(Activity activity) { return key_of(activity); }
    [[nodiscard]] static Json write(ResourceKind kind) { return key_of(kind); }
    [[nodiscard]] static Json write(TimelineThread thread) { return label_of(thread); }
    template <class T>
    [[nodiscard]] static Json write(const std::optional<T>& value) {
        return value ? write(*value) : Json(nullptr);
    }
    template <class T>
    [[nodiscard]] static Json write(const std::vector<T>& values) {
        Json array = Json::array();
        for (const T& value : values) {
            array.push_back(write(value));
        }
        return array;
    }

private:
    Json json_ = Json::object();
};

/// Reads the output of a JsonWriter, all of it or chosen keys.
/// Errors   nlohmann::json::exception for a missing key or another type; UsageError for a word that
///          no enumerator has.
class JsonReader {
public:
    /// `chosen` are key paths such as "launches.name". Other keys may be missing and do not change
    /// their members. Empty: all keys are read. Both arguments outlive the reader.
    explicit JsonReader(const Json& json, std::span<const std::string_view> chosen = {},
                        std::string path = "")
        : json_(json), chosen_(chosen), path_(std::move(path)) {}

    template <class T>
    void operator()(const char* key, T& value) {
        if (is_chosen(key)) {
            read(json_.at(key), value);
        }
    }
    /// Reads a value that may be missing, as files of older versions lack newer keys.
    template <class T>
    void operator()(const char* key, std::optional<T>& value) {
        value.reset();
        if (is_chosen(key) && json_.contains(key)) {
            read(json_.at(key), value);
        }
    }
    template <class Make>
    void derived(const char*, Make) {}
    template <class Code, class T>
    void coded(const char* key, T& value) {
        if (is_chosen(key)) {
            Code::read(json_.at(key), value);
        }
    }
    template <class Describe>
    void section(const char* key, Describe describe_section) {
        if (is_chosen(key)) {
            JsonReader fields = below(key, json_.at(key));
            describe_section(fields);
        }
    }
    template <class T, class Describe>
    void optional_section(const char* key, std::optional<T>& value, Describe describe_section) {
        if (is_chosen(key) && !json_.at(key).is_null()) {
            JsonReader fields = below(key, json_.at(key));
            describe_section(fields, value.emplace());
        }
    }
    template <class Row, class Describe>
    void list(const char* key, std::vector<Row>& rows, Describe describe_row) {
        if (is_chosen(key)) {
            read_rows(key, json_.at(key), rows, describe_row);
        }
    }
    template <class Row, class Describe>
    void device_rows(const char* key, std::vector<Row>& rows, Describe describe_row) {
        if (is_chosen(key)) {
            read_rows(key, unfold_devices(json_.at(key)), rows, describe_row);
        }
    }

    template <class T>
    static void read(const Json& json, T& value) {
        if constexpr (requires(JsonReader & fields) { describe(fields, value); }) {
            JsonReader fields(json);
            describe(fields, value);
        } else if constexpr (std::floating_point<T>) {
            value = json.is_null() ? std::numeric_limits<T>::quiet_NaN() : json.get<T>();
        } else {
            json.get_to(value);
        }
    }
    static void read(const Json& json, Activity& activity);
    static void read(const Json& json, ResourceKind& kind);
    static void read(const Json& json, TimelineThread& thread);
    template <class T>
    static void read(const Json& json, std::optional<T>& value) {
        value.reset();
        if (!json.is_null()) {
            read(json, value.emplace());
        }
    }
    template <class T>
    static void read(const Json& json, std::vector<T>& values) {
        values.resize(json.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            read(json.at(i), values[i]);
        }
    }

private:
    template <class Row, class Describe>
    void read_rows(const char* key, const Json& array, std::vector<Row>& rows,
                   Describe describe_row) {
        rows.resize(array.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            JsonReader fields = below(key, array.at(i));
            describe_row(fields, rows[i], i);
        }
    }
    /// Returns whether a key is chosen: itself, a path below it, or a path above it.
    [[nodiscard]] bool is_chosen(std::string_view key) const;
    [[nodiscard]] JsonReader below(std::string_view key, const Json& json) const;

    const Json& json_;
    std::span<const std::string_view> chosen_;
    std::string path_;  ///< path of the object that is read, with a dot at its end
};

/// Describes a bound; both run.json and report.json have it.
template <class Fields, Either<Bound> Value>
void describe(Fields& fields, Value& bound) {
    fields("time", bound.time);
    fields("by", bound.by);
    fields("device", bound.device);
    fields("dram_bytes", bound.work.dram_bytes);
    fields("link_bytes", bound.work.link_bytes);
    fields("products", bound.work.products);
    fields("vector_ops", bound.work.vector_ops);
    fields("waited", bound.waited);
}

}  // namespace tessera::report
