// SPDX-License-Identifier: Apache-2.0
// Rows of the tables that bind, document and check configuration keys.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emu/base/fields/value.hpp"

namespace tessera::config {

/// Replaces a default: the key is required.
inline constexpr std::string_view kRequired{};

/// Allowed numbers: of a number, or of each number of a pair or list. Bounds are inclusive.
struct Limits {
    double least = -std::numeric_limits<double>::infinity();
    double most = std::numeric_limits<double>::infinity();
    std::uint32_t multiple_of = 0;               ///< 0: any number
    std::span<const std::uint32_t> values = {};  ///< the allowed ones; empty: all within the bounds
};

enum class FieldKind : std::uint8_t {
    Value,     ///< `key: value`
    Fact,      ///< `key: {value: …, source: …, range: [low, high]}`; range may be left out
    Section,   ///< `key:` with the rows of `fields` below it
    FactList,  ///< as Fact, its value a list of maps, each with the rows of `fields`
    FactMap    ///< `key: {name: fact, …}` with any names; `fields` is the one row of the facts
};

/// For numbers with a range: the end of the range that makes runs short.
enum class Shortens : std::uint8_t { Less, More };

/// Row of one key. Its function pointers hide the type of the member that the key sets.
struct Field {
    FieldKind kind = FieldKind::Value;
    std::string_view key;
    std::string_view default_text;  ///< in YAML syntax, or kRequired
    std::string_view prose;
    Limits limits;
    std::span<const Field> fields;
    Shortens shortens = Shortens::Less;

    JsonForm json = JsonForm::Literal;
    std::string_view unit;  ///< base unit of a quantity
    std::string (*allowed)() = nullptr;
    /// Sets the member of `object` from a node.
    std::optional<Mistake> (*set)(const Node& node, void* object) = nullptr;
    /// Returns the member in YAML syntax, and as text of a number in its base unit.
    std::string (*show)(const void* object) = nullptr;
    std::string (*number)(const void* object) = nullptr;
    /// Returns the struct of a section, or a new last element of a list.
    void* (*open)(void* object) = nullptr;
    /// Adds an element with this name to a map and returns it.
    void* (*open_named)(void* object, std::string_view name) = nullptr;
};

template <class Member>
struct MemberOf;
template <class C, class M>
struct MemberOf<M C::*> {
    using Class = C;
    using Type = M;
};

template <auto Member>
using ClassOf = typename MemberOf<decltype(Member)>::Class;
template <auto Member>
using TypeOf = typename MemberOf<decltype(Member)>::Type;

template <auto Member>
[[nodiscard]] std::optional<Mistake> set_member(const Node& node, void* object) {
    auto parsed = Value<TypeOf<Member>>::parse(node);
    if (const auto* mistake = std::get_if<Mistake>(&parsed)) {
        return *mistake;
    }
    static_cast<ClassOf<Member>*>(object)->*Member = std::get<TypeOf<Member>>(parsed);
    return std::nullopt;
}

template <auto Member>
[[nodiscard]] std::string show_member(const void* object) {
    return Value<TypeOf<Member>>::show(static_cast<const ClassOf<Member>*>(object)->*Member);
}

template <auto Member>
[[nodiscard]] std::string number_of_member(const void* object) {
    if constexpr (Value<TypeOf<Member>>::kJson == JsonForm::Quantity) {
        return fmt::to_string((static_cast<const ClassOf<Member>*>(object)->*Member).value);
    } else {
        return show_member<Member>(object);
    }
}

template <class T>
[[nodiscard]] constexpr std::string_view base_unit() {
    if constexpr (Value<T>::kJson == JsonForm::Quantity) {
        for (const Unit& unit : kUnits<T>) {
            if (unit.factor == 1) {
                return unit.name;
            }
        }
    }
    return {};
}

/// Returns a field whose value is that of `Member`.
template <auto Member>
[[nodiscard]] constexpr Field field(std::string_view key, std::string_view default_text,
                                    std::string_view prose, Limits limits = {}) {
    using T = TypeOf<Member>;
    return {.kind = FieldKind::Value,
            .key = key,
            .default_text = default_text,
            .prose = prose,
            .limits = limits,
            .fields = {},
            .shortens = Shortens::Less,
            .json = Value<T>::kJson,
            .unit = base_unit<T>(),
            .allowed = &Value<T>::allowed,
            .set = &set_member<Member>,
            .show = &show_member<Member>,
            .number = &number_of_member<Member>,
            .open = nullptr,
            .open_named = nullptr};
}

/// Returns a field whose value is required and has a source.
template <auto Member>
[[nodiscard]] constexpr Field fact(std::string_view key, std::string_view prose,
                                   Limits limits = {}) {
    Field row = field<Member>(key, kRequired, prose, limits);
    row.kind = FieldKind::Fact;
    return row;
}

/// Returns a section whose keys are bound to the member, a struct.
template <auto Member>
[[nodiscard]] constexpr Field section(std::string_view key, std::span<const Field> fields,
                                      std::string_view prose) {
    Field row;
    row.kind = FieldKind::Section;
    row.key = key;
    row.prose = prose;
    row.fields = fields;
    row.open = [](void* object) -> void* {
        return &(static_cast<ClassOf<Member>*>(object)->*Member);
    };
    return row;
}

/// Returns a list of structs with one source.
template <auto Member>
[[nodiscard]] constexpr Field fact_list(std::string_view key, std::span<const Field> fields,
                                        std::string_view prose) {
    Field row = section<Member>(key, fields, prose);
    row.kind = FieldKind::FactList;
    row.open = [](void* object) -> void* {
        return &(static_cast<ClassOf<Member>*>(object)->*Member).emplace_back();
    };
    return row;
}

/// Returns facts by name; the member is a list of pairs of name and value.
template <auto Member>
[[nodiscard]] constexpr Field fact_map(std::string_view key, std::span<const Field> fields,
                                       std::string_view prose) {
    Field row;
    row.kind = FieldKind::FactMap;
    row.key = key;
    row.prose = prose;
    row.fields = fields;
    row.open_named = [](void* object, std::string_view name) -> void* {
        return &(static_cast<ClassOf<Member>*>(object)->*Member)
                    .emplace_back(name, typename TypeOf<Member>::value_type::second_type{});
    };
    return row;
}

}  // namespace tessera::config
