// SPDX-License-Identifier: Apache-2.0
#include "runtime/steps/kernel_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string_view>

#include "runtime/steps/expression.hpp"
#include "runtime/steps/kernel_calls.hpp"

namespace tessera::pipeline {
namespace {

using Tokens = KernelTokens;

/// Reads statements in order.
class Scanner {
public:
    KernelText scan(const std::vector<KernelStatement>& statements) {
        constants_.set("true", std::int64_t{1});
        constants_.set("false", std::int64_t{0});
        // Twice: a loop may use at its start what it computes at its end.
        for (const int pass : {0, 1}) {
            for (const KernelStatement& statement : statements) {
                if (pass == 0) {
                    read_facts(statement);
                }
                note_labels(statement.tokens);
            }
        }
        for (const KernelStatement& statement : statements) {
            read_transfers(statement.tokens);
        }
        return std::move(text_);
    }

private:
    using Labels = std::set<std::string>;

    void read_facts(const KernelStatement& statement) {
        const Tokens tokens = statement.tokens;
        for (const KernelToken& token : tokens) {
            if (is_kernel_word(token.text)) {
                text_.words.insert(unqualified(token.text));
            }
        }
        const std::optional<KernelDefinition> definition = definition_of(tokens);
        const std::string variable = definition ? definition->name : "";
        for (const KernelCall& call : calls_of(tokens)) {
            read_argument(call, variable, statement.is_repeated);
            read_buffer(call);
        }
        read_accessor_arguments(tokens, variable);
        for (const KernelCall& call : calls_of(tokens)) {
            read_accessor(call, tokens);
        }
        step_counter(tokens, statement.is_repeated);
        if (definition) {
            define(*definition);
        }
    }

    void define(const KernelDefinition& definition) {
        text_.values.try_emplace(definition.name, joined(definition.value));
        if (const auto number = number_of(definition.value)) {
            constants_.set(definition.name, *number);
        }
        const std::string index = index_of(definition.value);
        if (!index.empty()) {
            indices_.try_emplace(definition.name, index);
        }
    }

    [[nodiscard]] std::optional<std::int64_t> number_of(Tokens tokens) const {
        try {
            const Value value = evaluate(joined(tokens), constants_);
            const auto* number = std::get_if<std::int64_t>(&value);
            return number == nullptr ? std::nullopt : std::optional(*number);
        } catch (const UsageError&) {
            return std::nullopt;  // not a constant of the text
        }
    }

    // Returns the index of an argument; `name++` is the value before the step.
    std::optional<std::uint32_t> argument_index(Tokens tokens, bool is_repeated) const {
        Tokens plain = tokens;
        bool is_step = false;
        if (!plain.empty() && plain.back().text == "++") {
            plain = plain.first(plain.size() - 1);
            is_step = true;
        }
        const auto number = number_of(plain);
        if (!number || *number < 0 || (is_step && is_repeated)) {
            return std::nullopt;
        }
        return static_cast<std::uint32_t>(*number);
    }

    // Follows counters: `i++`, `++i` and `i += 2`.
    void step_counter(Tokens tokens, bool is_repeated) {
        for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
            const bool is_after = tokens[i + 1].text == "++" && is_kernel_word(tokens[i].text);
            const bool is_before = tokens[i].text == "++" && is_kernel_word(tokens[i + 1].text);
            const bool is_sum = tokens[i + 1].text == "+=" && is_kernel_word(tokens[i].text);
            if (!is_after && !is_before && !is_sum) {
                continue;
            }
            const std::string& name = tokens[is_before ? i + 1 : i].text;
            const Value* value = constants_.find(name);
            const auto amount = is_sum ? number_of(tokens.subspan(i + 2)) : std::optional(1L);
            if (value == nullptr || !std::holds_alternative<std::int64_t>(*value)) {
                continue;
            }
            // The value is a word and not a number, so that further uses are unclear.
            constants_.set(name, is_repeated || !amount
                                     ? Value(std::string("unknown"))
                                     : Value(std::get<std::int64_t>(*value) + *amount));
        }
    }

    void read_argument(const KernelCall& call, const std::string& variable, bool is_repeated) {
        struct Reader {
            std::string_view name;
            ArgumentKind kind;
        };
        constexpr std::array<Reader, 5> kReaders{
            {{"get_arg_val", ArgumentKind::Runtime},
             {"get_common_arg_val", ArgumentKind::Common},
             {"get_compile_time_arg_val", ArgumentKind::CompileTime},
             {"get_named_compile_time_arg_val", ArgumentKind::NamedCompileTime},
             {"get_arg_addr", ArgumentKind::Runtime}}};
        const auto* reader = std::ranges::find(kReaders, call.name, &Reader::name);
        if (reader == kReaders.end() || call.operands.empty()) {
            return;
        }
        KernelArgument argument{
            .kind = reader->kind, .index = 0, .name = {}, .variable = variable, .line = call.line};
        if (reader->kind == ArgumentKind::NamedCompileTime) {
            argument.name = joined(call.operands[0]);
            std::erase(argument.name, '"');
        } else {
            const auto index = argument_index(call.operands[0], is_repeated);
            if (!index) {
                text_.unclear.push_back(call.line);
                return;
            }
            argument.index = *index;
            keys_[call.operands[0].data()] = argument.key();
        }
        const auto same = std::ranges::find(text_.arguments, argument.key(), &KernelArgument::key);
        if (same == text_.arguments.end()) {
            text_.arguments.push_back(argument);
        }
    }

    // Returns the key of the argument that a call reads, or nothing.
    [[nodiscard]] std::string key_of(const KernelCall& call) const {
        if (call.name == "get_named_compile_time_arg_val" && !call.operands.empty()) {
            KernelArgument argument{.kind = ArgumentKind::NamedCompileTime,
                                    .index = 0,
                                    .name = joined(call.operands[0]),
                                    .variable = {},
                                    .line = 0};
            std::erase(argument.name, '"');
            return argument.key();
        }
        const auto found = call.operands.empty() || call.operands[0].empty()
                               ? keys_.end()
                               : keys_.find(call.operands[0].data());
        return found == keys_.end() ? "" : found->second;
    }

    // `constexpr auto x = TensorAccessorArgs<0>();` or `TensorAccessorArgs<0> x;`
    void read_accessor_arguments(Tokens tokens, const std::string& variable) {
        for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
            if (unqualified(tokens[i].text) != "TensorAccessorArgs" || tokens[i + 1].text != "<") {
                continue;
            }
            const std::size_t end = end_of_brackets(tokens, i + 1);
            const Tokens inside = tokens.subspan(i + 2, std::max(end, i + 3) - i - 3);
            const bool is_declared = end < tokens.size() && is_kernel_word(tokens[end].text);
            KernelAccessor accessor{.variable = is_declared ? tokens[end].text : variable,
                                    .first = {},
                                    .after = {},
                                    .address = {},
                                    .line = tokens[i].line};
            if (inside.empty()) {
                continue;
            }
            if (const auto first = number_of(split_at_commas(inside).front())) {
                accessor.first = static_cast<std::uint32_t>(*first);
            } else {
                accessor.after = inside.front().text;
            }
            text_.accessors.push_back(std::move(accessor));
        }
    }

    void read_accessor(const KernelCall& call, Tokens tokens) {
        const bool declares = std::ranges::any_of(tokens, [](const KernelToken& token) {
            return unqualified(token.text) == "TensorAccessor";
        });
        if (declares && call.operands.size() > 1) {
            link_accessor(call);
        }
        if (call.name == "get_noc_addr_from_bank_id" && call.operands.size() > 1) {
            add_addresses(call.operands[1]);
        }
    }

    void link_accessor(const KernelCall& call) {
        const Labels labels = labels_of(call.operands[1]);
        add_addresses(call.operands[1]);
        const auto accessor = std::ranges::find_if(text_.accessors, [&](const auto& candidate) {
            return std::ranges::any_of(call.operands[0], [&](const KernelToken& token) {
                return token.text == candidate.variable && !candidate.variable.empty();
            });
        });
        // TensorAccessor(TensorAccessorArgs<0>(), address) has no variable of its own.
        KernelAccessor* target = accessor != text_.accessors.end() ? &*accessor
                                 : text_.accessors.empty()         ? nullptr
                                                                   : &text_.accessors.back();
        for (const std::string& label : labels) {
            if (target != nullptr && label.starts_with("arg ")) {
                target->address = label;
            }
        }
    }

    void add_addresses(Tokens tokens) {
        for (const std::string& label : labels_of(tokens)) {
            if (label.starts_with("arg ") || label.starts_with("common_arg ")) {
                text_.addresses.insert(label);
            }
        }
    }

    // Returns the CB that an expression names: a number, or the key of an argument.
    [[nodiscard]] std::string index_of(Tokens tokens) const {
        for (const KernelCall& call : calls_of(tokens)) {
            if (std::string key = key_of(call); !key.empty()) {
                return key;
            }
        }
        // `(cb_in)` of an object's constructor, and static_cast<uint32_t>(cb_in).
        const auto words = std::ranges::find_if(
            tokens, [&](const KernelToken& token) { return indices_.contains(token.text); });
        if (words != tokens.end()) {
            return indices_.at(words->text);
        }
        Tokens inner = tokens;
        while (inner.size() > 2 && (inner.front().text == "(" || inner.front().text == "{")) {
            inner = inner.subspan(1, inner.size() - 2);
        }
        const auto number = number_of(inner);
        return number && *number >= 0 ? std::to_string(*number) : "";
    }

    void read_buffer(const KernelCall& call) {
        struct Action {
            std::string_view name;
            bool is_push;
        };
        constexpr std::array<Action, 4> kActions{{{"reserve_back", true},
                                                  {"push_back", true},
                                                  {"wait_front", false},
                                                  {"pop_front", false}}};
        const std::string name = call.name.starts_with("cb_") ? call.name.substr(3) : call.name;
        const auto* action = std::ranges::find(kActions, name, &Action::name);
        const bool is_function = call.object.empty();
        if (action == kActions.end() || is_function != call.name.starts_with("cb_") ||
            call.operands.size() < (is_function ? 2U : 1U)) {
            return;
        }
        const KernelToken object{call.object, call.line};
        const std::string index = is_function ? index_of(call.operands[0]) : index_of({&object, 1});
        if (index.empty()) {
            return;
        }
        auto buffer = std::ranges::find(text_.buffers, index, &KernelBuffer::index);
        if (buffer == text_.buffers.end()) {
            text_.buffers.push_back({.index = index, .counts = {}, .line = call.line});
            buffer = std::prev(text_.buffers.end());
        }
        (action->is_push ? buffer->is_pushed : buffer->is_awaited) = true;
        buffer->counts.push_back(joined(call.operands[is_function ? 1 : 0]));
    }

    // Returns the arguments and buffers from which an expression is computed.
    [[nodiscard]] Labels labels_of(Tokens tokens) const {
        Labels labels;
        for (const KernelToken& token : tokens) {
            if (const auto found = labels_.find(token.text); found != labels_.end()) {
                labels.insert(found->second.begin(), found->second.end());
            }
        }
        for (const KernelCall& call : calls_of(tokens)) {
            if (const std::string key = key_of(call); !key.empty()) {
                labels.insert(key);
            }
            const bool is_pointer = call.name == "get_write_ptr" || call.name == "get_read_ptr";
            if (is_pointer && call.object.empty() && !call.operands.empty()) {
                labels.insert("cb " + index_of(call.operands[0]));
            }
        }
        return labels;
    }

    void note_labels(Tokens tokens) {
        const std::optional<KernelDefinition> definition = definition_of(tokens);
        if (!definition) {
            return;
        }
        Labels labels = labels_of(definition->value);
        const bool is_buffer = std::ranges::any_of(tokens, [](const KernelToken& token) {
            const std::string type = unqualified(token.text);
            return type == "CircularBuffer" || type == "DataflowBuffer";
        });
        if (is_buffer) {
            labels.insert("cb " + index_of(definition->value));
        }
        labels_[definition->name].insert(labels.begin(), labels.end());
        for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
            // An older address generator: {.bank_base_address = src_addr, …}.
            if (tokens[i].text == "bank_base_address" && tokens[i + 1].text == "=") {
                add_addresses(
                    tokens.subspan(i + 2, std::min<std::size_t>(1, tokens.size() - i - 2)));
            }
        }
    }

    [[nodiscard]] KernelTransfer transfer_of(const KernelCall& call, bool is_write) const {
        KernelTransfer transfer{.is_write = is_write, .arguments = {}, .buffers = {}};
        for (const Tokens operand : call.operands) {
            for (const std::string& label : labels_of(operand)) {
                if (label.starts_with("cb ")) {
                    transfer.buffers.insert(label.substr(3));
                } else {
                    transfer.arguments.insert(label);
                }
            }
        }
        return transfer;
    }

    void read_transfers(Tokens tokens) {
        for (const KernelCall& call : calls_of(tokens)) {
            const bool is_read = call.name.find("async_read") != call.name.npos;
            const bool is_write = call.name.find("async_write") != call.name.npos;
            const bool waits = call.name.find("barrier") != call.name.npos ||
                               call.name.find("flushed") != call.name.npos;
            if ((!is_read && !is_write) || waits) {
                continue;
            }
            text_.transfers.push_back(transfer_of(call, is_write));
        }
    }

    KernelText text_;
    Scope constants_;
    std::map<std::string, Labels> labels_;
    std::map<std::string, std::string> indices_;      ///< variables that name a CB, and which
    std::map<const KernelToken*, std::string> keys_;  ///< calls by their first token of an operand
};

}  // namespace

std::string KernelArgument::key() const {
    switch (kind) {
        case ArgumentKind::Runtime:
            return fmt::format("arg {}", index);
        case ArgumentKind::Common:
            return fmt::format("common_arg {}", index);
        case ArgumentKind::CompileTime:
            return fmt::format("compile_arg {}", index);
        case ArgumentKind::NamedCompileTime:
            return fmt::format("compile_arg {}", name);
    }
    return "";
}

KernelText scan_kernel(const std::string& text, const Defines& defines) {
    const std::vector<KernelStatement> statements = statements_of(text, defines);
    return Scanner().scan(statements);
}

}  // namespace tessera::pipeline
