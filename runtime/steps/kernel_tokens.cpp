// SPDX-License-Identifier: Apache-2.0
#include "runtime/steps/kernel_tokens.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>
#include <string_view>

namespace tessera::pipeline {
namespace {

bool is_word_letter(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Replaces comments by spaces; line ends stay, so lines keep their numbers. Strings stay, too:
// names of compile-time arguments are strings.
std::string without_comments(std::string text) {
    enum class In { Code, Line, Block, Text } in = In::Code;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char next = i + 1 < text.size() ? text[i + 1] : '\0';
        if (in == In::Code && text[i] == '/' && (next == '/' || next == '*')) {
            in = next == '/' ? In::Line : In::Block;
        } else if (in == In::Code && text[i] == '"') {
            in = In::Text;
            continue;
        } else if (in == In::Block && text[i] == '*' && next == '/') {
            text[i] = text[i + 1] = ' ';
            in = In::Code;
        } else if ((in == In::Text && text[i] == '"') || (in == In::Line && text[i] == '\n')) {
            in = In::Code;
        }
        if ((in == In::Line || in == In::Block) && text[i] != '\n') {
            text[i] = ' ';
        }
    }
    return text;
}

/// Whether the lines between #if and #endif count.
struct Branch {
    enum class Of : std::uint8_t { Taken, Left, Both } of = Of::Both;
};

Branch branch_of(std::istringstream& line, const std::string& directive, const Defines& defines) {
    std::string word;
    std::string more;
    line >> word;
    bool negated = directive == "ifndef";
    if (directive == "if") {
        // `#if defined(X)` and `#if defined X` are definitions of one word; nothing else is.
        negated = word.starts_with('!');
        std::erase_if(word, [](char c) { return c == '!' || c == '(' || c == ')'; });
        if (!word.starts_with("defined") || (line >> more && word != "defined")) {
            return {};
        }
        word = word == "defined" ? more : word.substr(std::string_view("defined").size());
    }
    return {defines.contains(word) != negated ? Branch::Of::Taken : Branch::Of::Left};
}

// Blanks directives and the branches that are left out.
std::string without_directives(const std::string& text, const Defines& defines) {
    std::istringstream lines(text);
    std::string result;
    std::vector<Branch> branches;
    for (std::string line; std::getline(lines, line); result += '\n') {
        const std::size_t first = line.find_first_not_of(" \t");
        if (first == line.npos || line[first] != '#') {
            const bool is_left = std::ranges::any_of(
                branches, [](const Branch& branch) { return branch.of == Branch::Of::Left; });
            result += is_left ? "" : line;
            continue;
        }
        std::istringstream words(line.substr(first + 1));
        std::string directive;
        words >> directive;
        if (directive.starts_with("if")) {
            branches.push_back(branch_of(words, directive, defines));
        } else if ((directive == "else" || directive == "elif") && !branches.empty() &&
                   branches.back().of != Branch::Of::Both) {
            branches.back().of =
                branches.back().of == Branch::Of::Taken ? Branch::Of::Left : Branch::Of::Taken;
        } else if (directive == "endif" && !branches.empty()) {
            branches.pop_back();
        }
    }
    return result;
}

// An index of a CB as a number; other words stay.
std::string with_number(const std::string& word) {
    struct Family {
        std::string_view prefix;
        unsigned first;
    };
    // The second family is the vendor's of 2024, in which outputs start at 16.
    constexpr std::array<Family, 4> kFamilies{
        {{"CBIndex::c_", 0}, {"CB::c_in", 0}, {"CB::c_out", 16}, {"CB::c_intermed", 24}}};
    for (const Family& family : kFamilies) {
        const std::size_t place = word.find(family.prefix);
        const bool is_whole = place == 0 || (place != word.npos && word[place - 1] == ':');
        const std::string digits = is_whole ? word.substr(place + family.prefix.size()) : "";
        if (!digits.empty() &&
            std::ranges::all_of(digits, [](unsigned char c) { return std::isdigit(c) != 0; })) {
            return std::to_string(family.first + std::stoul(digits));
        }
    }
    return word;
}

// Takes a token from `text` at `at` and advances it.
std::string next_token(const std::string& text, std::size_t& at) {
    const std::size_t first = at;
    if (text[at] == '"') {
        at = std::min(text.find('"', at + 1), text.size() - 1) + 1;
        return text.substr(first, at - first);
    }
    if (std::isdigit(static_cast<unsigned char>(text[at])) != 0) {
        while (at < text.size() && (is_word_letter(text[at]) || text[at] == '\'')) {
            ++at;
        }
        std::string number = text.substr(first, at - first);
        std::erase(number, '\'');
        number.erase(number.find_last_not_of("uUlL") + 1);
        return number;
    }
    if (is_word_letter(text[at])) {
        while (at < text.size() && (is_word_letter(text[at]) || text.compare(at, 2, "::") == 0)) {
            at += is_word_letter(text[at]) ? 1 : 2;
        }
        return with_number(text.substr(first, at - first));
    }
    constexpr std::array<std::string_view, 14> kOperators{
        "++", "--", "->", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "&&", "||", "|="};
    const auto* found = std::ranges::find_if(kOperators, [&](std::string_view operation) {
        return text.compare(at, operation.size(), operation) == 0;
    });
    at += found == kOperators.end() ? 1 : found->size();
    return text.substr(first, at - first);
}

std::vector<KernelToken> tokens_of(const std::string& text) {
    std::vector<KernelToken> tokens;
    std::uint32_t line = 1;
    for (std::size_t at = 0; at < text.size();) {
        if (std::isspace(static_cast<unsigned char>(text[at])) != 0) {
            line += text[at++] == '\n' ? 1 : 0;
            continue;
        }
        tokens.push_back({next_token(text, at), line});
    }
    return tokens;
}

// Whether a brace after these tokens starts an initialiser and not a block.
bool starts_initialiser(const std::vector<KernelToken>& before) {
    if (before.empty()) {
        return false;
    }
    // `void MAIN {` is the older form of `void kernel_main() {`.
    constexpr std::array<std::string_view, 9> kBlocks{
        "struct", "class", "namespace", "enum", "else", "do", "union", "extern", "MAIN"};
    const std::string& last = before.back().text;
    return last != ")" && std::ranges::find(kBlocks, before.front().text) == kBlocks.end() &&
           std::ranges::find(kBlocks, last) == kBlocks.end();
}

/// Splits tokens at semicolons and at the braces of blocks.
class Splitter {
public:
    std::vector<KernelStatement> split(const std::vector<KernelToken>& tokens) {
        for (const KernelToken& token : tokens) {
            add(token);
        }
        finish();
        return std::move(statements_);
    }

private:
    void add(const KernelToken& token) {
        const bool is_open = depth_ == 0;
        if (is_open && token.text == "{" && !starts_initialiser(current_)) {
            const std::string head = current_.empty() ? "" : current_.front().text;
            finish();
            loops_.push_back(head == "for" || head == "while" || head == "do");
            return;
        }
        if (is_open && (token.text == ";" || token.text == "}")) {
            finish();
            if (token.text == "}" && !loops_.empty()) {
                loops_.pop_back();
            }
            return;
        }
        if (token.text == "(" || token.text == "{") {
            ++depth_;
        } else if ((token.text == ")" || token.text == "}") && depth_ > 0) {
            --depth_;
        }
        current_.push_back(token);
    }
    void finish() {
        if (!current_.empty()) {
            const bool is_loop = current_.front().text == "for" || current_.front().text == "while";
            statements_.push_back(
                {std::move(current_), is_loop || std::ranges::find(loops_, true) != loops_.end()});
        }
        current_ = {};
        depth_ = 0;
    }

    std::vector<KernelStatement> statements_;
    std::vector<KernelToken> current_;
    std::vector<bool> loops_;
    std::size_t depth_ = 0;  ///< open parentheses, and braces of initialisers
};

}  // namespace

std::vector<KernelStatement> statements_of(const std::string& text, const Defines& defines) {
    return Splitter().split(tokens_of(without_directives(without_comments(text), defines)));
}

}  // namespace tessera::pipeline
