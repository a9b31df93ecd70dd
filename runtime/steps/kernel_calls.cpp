// SPDX-License-Identifier: Apache-2.0
#include "runtime/steps/kernel_calls.hpp"

#include <algorithm>
#include <cctype>

namespace tessera::pipeline {

bool is_kernel_word(const std::string& text) {
    return !text.empty() &&
           (std::isalpha(static_cast<unsigned char>(text.front())) != 0 || text.front() == '_');
}

std::string joined(KernelTokens tokens) {
    std::string text;
    for (const KernelToken& token : tokens) {
        text += (text.empty() ? "" : " ") + token.text;
    }
    return text;
}

std::string unqualified(const std::string& name) {
    const std::size_t colon = name.rfind("::");
    return colon == name.npos ? name : name.substr(colon + 2);
}

std::size_t end_of_brackets(KernelTokens tokens, std::size_t open) {
    const std::string& opening = tokens[open].text;
    const std::string closing = opening == "(" ? ")" : opening == "<" ? ">" : "}";
    std::size_t depth = 0;
    for (std::size_t i = open; i < tokens.size(); ++i) {
        depth += tokens[i].text == opening ? 1 : 0;
        if (tokens[i].text == closing && --depth == 0) {
            return i + 1;
        }
    }
    return tokens.size();
}

std::vector<KernelTokens> split_at_commas(KernelTokens tokens) {
    std::vector<KernelTokens> parts;
    std::size_t first = 0;
    int depth = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const std::string& text = tokens[i].text;
        depth += text == "(" || text == "{" ? 1 : text == ")" || text == "}" ? -1 : 0;
        if (text == "," && depth == 0) {
            parts.push_back(tokens.subspan(first, i - first));
            first = i + 1;
        }
    }
    if (first < tokens.size()) {
        parts.push_back(tokens.subspan(first));
    }
    return parts;
}

std::vector<KernelCall> calls_of(KernelTokens tokens) {
    std::vector<KernelCall> calls;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        if (!is_kernel_word(tokens[i].text)) {
            continue;
        }
        std::size_t open = i + 1;
        KernelTokens templates;
        if (tokens[open].text == "<") {
            const std::size_t end = end_of_brackets(tokens, open);
            templates = tokens.subspan(open + 1, std::max(end, open + 2) - open - 2);
            open = end;
        }
        if (open >= tokens.size() || tokens[open].text != "(") {
            continue;
        }
        const std::size_t end = end_of_brackets(tokens, open);
        const bool is_member = i >= 2 && (tokens[i - 1].text == "." || tokens[i - 1].text == "->");
        calls.push_back(
            {unqualified(tokens[i].text), is_member ? tokens[i - 2].text : "", templates,
             split_at_commas(tokens.subspan(open + 1, std::max(end, open + 2) - open - 2)),
             tokens[i].line});
    }
    return calls;
}

std::optional<KernelDefinition> definition_of(KernelTokens tokens) {
    int depth = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const std::string& text = tokens[i].text;
        depth += text == "(" || text == "{" ? 1 : text == ")" || text == "}" ? -1 : 0;
        const bool is_named = i > 0 && is_kernel_word(tokens[i - 1].text);
        if (text == "=" && depth == 0 && is_named) {
            return KernelDefinition{tokens[i - 1].text, tokens.subspan(i + 1)};
        }
        // TYPE NAME(…) or TYPE NAME{…}
        const bool is_typed =
            i > 1 && (is_kernel_word(tokens[i - 2].text) || tokens[i - 2].text == ">") && is_named;
        if ((text == "(" || text == "{") && depth == 1 && is_typed &&
            tokens[i - 2].text != "return") {
            return KernelDefinition{tokens[i - 1].text, tokens.subspan(i)};
        }
    }
    return std::nullopt;
}

}  // namespace tessera::pipeline
