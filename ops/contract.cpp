// SPDX-License-Identifier: Apache-2.0
#include "ops/contract.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "ops/shared/describe_tensor.hpp"

namespace tessera::ops {
namespace {

// Contracts are words in a spec, so one text is the rule, the message and the table in docs/ops.
constexpr std::string_view kAnyShape = "any";
constexpr std::string_view kOthers = "...";

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(' ');
    return first == std::string_view::npos
               ? std::string_view{}
               : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t end = text.find(separator);
        parts.push_back(trimmed(text.substr(0, end)));
        if (end == std::string_view::npos) {
            return parts;
        }
        text.remove_prefix(end + separator.size());
    }
}

/// Returns the terms between the parentheses.
std::vector<std::string_view> terms_of(std::string_view expression) {
    ensure(expression.starts_with('(') && expression.ends_with(')'),
           "'{}' is not a shape expression; allowed: any or (term, …)", expression);
    return split(expression.substr(1, expression.size() - 2), ",");
}

// The whole text must be a number: "2D" would be a symbol.
std::optional<std::uint64_t> number_in(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(number)
                                                                    : std::nullopt;
}

/// Contract of an operand, whose words may refer to other tensors.
struct Contract {
    const Operand& operand;
    std::span<const Operand> operands;    ///< inputs, then outputs
    std::span<const TensorPlan> tensors;  ///< the given tensors

    // Words refer to others by name; an optional operand that the call leaves out gives nothing.
    [[nodiscard]] const TensorSpec* other(std::string_view name) const {
        const auto found = std::ranges::find(operands, name, &Operand::name);
        const auto index = static_cast<std::size_t>(found - operands.begin());
        return is_given(tensors, index) ? &tensors[index].spec : nullptr;
    }
};

std::string_view word_of(Layout layout) {
    return layout == Layout::TILE ? "TILE" : "ROW_MAJOR";
}

// A message has the format of the tensor that "=weights" refers to; without that tensor the words
// stay.
std::string expected_formats(const Contract& contract) {
    const std::string_view words = contract.operand.format;
    if (!words.starts_with('=')) {
        return std::string(words == kAnyShape ? "of any format" : words);
    }
    const TensorSpec* other = contract.other(words.substr(1));
    return std::string(other == nullptr ? words : name_of(other->format));
}

bool has_format(const Contract& contract, DataFormat format) {
    const std::string words = expected_formats(contract);
    const auto allowed = split(words, "|");
    return contract.operand.format == kAnyShape ||
           std::ranges::find(allowed, name_of(format)) != allowed.end();
}

// "=input" is the layout of input, "!input" is the other one of the two.
std::string expected_layout(const Contract& contract) {
    const std::string_view words = contract.operand.layout;
    if (!words.starts_with('=') && !words.starts_with('!')) {
        return std::string(words == kAnyShape ? "in any layout" : words);
    }
    const TensorSpec* other = contract.other(words.substr(1));
    if (other == nullptr) {
        return std::string(words);
    }
    const bool is_tile = (other->layout == Layout::TILE) == words.starts_with('=');
    return std::string(word_of(is_tile ? Layout::TILE : Layout::ROW_MAJOR));
}

bool has_layout(const Contract& contract, Layout layout) {
    return contract.operand.layout == kAnyShape || expected_layout(contract) == word_of(layout);
}

bool keeps_contract(const Contract& contract, const TensorPlan& tensor, ShapeSymbols& symbols,
                    RuleJudge& judge) {
    const Shape& extents = tensor.spec.shape;
    const auto shape = symbols.match(contract.operand.shape, extents);
    const bool is_right = !shape && has_format(contract, tensor.spec.format) &&
                          has_layout(contract, tensor.spec.layout) &&
                          (contract.operand.tiles == Tiles::Any || !tensor.spec.tile.is_tiny());
    std::string expected =
        shape.value_or(contract.operand.shape == kAnyShape ? "" : to_string(extents));
    expected += expected.empty() ? "" : " ";
    const bool is_empty = extents.empty() || std::ranges::find(extents, 0U) != extents.end();
    judge.require(is_right, contract.operand.name,
                  fmt::format("is {}; allowed: {}{} {}{}", describe(tensor.spec), expected,
                              expected_formats(contract), expected_layout(contract),
                              is_empty ? ", without an extent of 0" : ""));
    const bool lies =
        contract.operand.lies == Lies::Anyhow || tensor.layout == TensorMemoryLayout::INTERLEAVED;
    judge.require(lies, contract.operand.name, "is sharded; allowed: interleaved");
    return is_right && lies;
}

bool has_number(std::string_view side, std::span<const Operand> operands, std::size_t number,
                RuleJudge& judge) {
    const auto required = static_cast<std::size_t>(std::ranges::count(
        operands, Presence::Required, [](const Operand& operand) { return operand.presence; }));
    const bool holds = number >= required && number <= operands.size();
    std::vector<std::string_view> names;
    for (const Operand& operand : operands) {
        names.push_back(operand.name);
    }
    // All names follow the number, so the message shows which operand is missing.
    judge.require(
        holds, side,
        fmt::format("are {} tensors; allowed: {}{}: {}", number, required,
                    required == operands.size() ? "" : fmt::format(" to {}", operands.size()),
                    fmt::join(names, ", ")));
    return holds;
}

}  // namespace

std::optional<std::uint64_t> ShapeSymbols::value(std::string_view term) const {
    if (const auto number = number_in(term)) {
        return number;
    }
    const auto found = std::ranges::find(
        values_, term, [](const auto& entry) { return std::string_view(entry.first); });
    if (found != values_.end()) {
        return found->second;
    }
    // The last sign is split first, so terms are evaluated from the left: A*B/D is (A*B)/D.
    const std::size_t sign = term.find_last_of("*/");
    if (sign == std::string_view::npos) {
        return std::nullopt;
    }
    const auto left = value(trimmed(term.substr(0, sign)));
    const auto right = value(trimmed(term.substr(sign + 1)));
    // A quotient with a rest fits no extent: experts that do not divide by the devices.
    if (!left || !right || (term[sign] == '/' && (*right == 0 || *left % *right != 0))) {
        return std::nullopt;
    }
    return term[sign] == '*' ? *left * *right : *left / *right;
}

bool ShapeSymbols::gives(std::string_view term, std::uint32_t extent) {
    if (const auto known = value(term)) {
        return *known == extent;
    }
    const std::size_t star = term.find('*');
    if (star == std::string_view::npos) {
        values_.emplace_back(term, extent);
        return true;
    }
    // A product with one factor to find: D*R in a group of D devices.
    const auto factor = value(trimmed(term.substr(0, star)));
    if (!factor || *factor == 0 || extent % *factor != 0) {
        return false;
    }
    values_.emplace_back(trimmed(term.substr(star + 1)), extent / *factor);
    return true;
}

// "..." is bound once for all operands, so a stack of matrices has the same extents everywhere.
bool ShapeSymbols::gives_others(const Shape& extents) {
    if (!others_) {
        others_ = extents;
    }
    return *others_ == extents;
}

std::string ShapeSymbols::show(std::string_view expression) const {
    std::vector<std::string> texts;
    for (const std::string_view term : terms_of(expression)) {
        const auto known = value(term);
        if (term != kOthers || !others_) {
            texts.push_back(known ? std::to_string(*known) : std::string(term));
        } else if (!others_->empty()) {
            texts.push_back(fmt::format("{}", fmt::join(*others_, ",")));
        }
    }
    return fmt::format("({})", fmt::join(texts, ","));
}

std::optional<std::string> ShapeSymbols::match(std::string_view expression, const Shape& shape) {
    // Tensors without elements match nothing: an extent of 0 would be a multiple of every factor.
    const bool has_elements = !shape.empty() && std::ranges::find(shape, 0U) == shape.end();
    if (expression == kAnyShape) {
        return has_elements ? std::nullopt : std::optional<std::string>("");
    }
    const std::vector<std::string_view> terms = terms_of(expression);
    const bool is_open = std::ranges::find(terms, kOthers) != terms.end();
    const std::size_t fixed = terms.size() - (is_open ? 1 : 0);
    bool holds = has_elements && (is_open ? shape.size() >= fixed : shape.size() == fixed);
    auto extent = shape.begin();
    for (std::size_t i = 0; holds && i < terms.size(); ++i) {
        if (terms[i] == kOthers) {
            const auto end = extent + static_cast<std::ptrdiff_t>(shape.size() - fixed);
            holds = gives_others({extent, end});
            extent = end;
        } else {
            holds = gives(terms[i], *extent++);
        }
    }
    return holds ? std::nullopt : std::optional(show(expression));
}

bool check_contract(const Op& op, const OpContext& context, RuleJudge& judge) {
    bool holds = has_number("inputs", op.spec.inputs, context.inputs.size(), judge);
    // Calls without outputs yet have only their inputs judged; the op infers the outputs from
    // these.
    holds = (context.outputs.empty() ||
             has_number("outputs", op.spec.outputs, context.outputs.size(), judge)) &&
            holds;
    if (!holds) {
        return false;
    }
    for (std::size_t i = 0; i < context.inputs.size(); ++i) {
        const Operand& operand = op.spec.inputs[i];
        const bool is_there = operand.presence == Presence::Optional || context.has(i);
        judge.require(is_there, operand.name, "is left out; it is required");
        holds = holds && is_there;
    }
    if (!holds) {
        return false;
    }
    // Missing optional inputs at the end have no position: outputs follow the given inputs.
    std::vector<Operand> operands(
        op.spec.inputs.begin(),
        op.spec.inputs.begin() + static_cast<std::ptrdiff_t>(context.inputs.size()));
    operands.insert(operands.end(), op.spec.outputs.begin(), op.spec.outputs.end());
    std::vector<TensorPlan> tensors(context.inputs.begin(), context.inputs.end());
    tensors.insert(tensors.end(), context.outputs.begin(), context.outputs.end());
    ShapeSymbols symbols;
    // D, the number of devices of the group, is bound first, so "E/D" has a value before any shape.
    (void)symbols.match("(D)", {static_cast<std::uint32_t>(context.devices.size())});
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const bool is_left_out = i < context.inputs.size() && !context.has(i);
        holds = (is_left_out ||
                 keeps_contract({operands[i], operands, tensors}, tensors[i], symbols, judge)) &&
                holds;
    }
    return holds;
}

}  // namespace tessera::ops
