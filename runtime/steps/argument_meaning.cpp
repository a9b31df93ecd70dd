// SPDX-License-Identifier: Apache-2.0
#include "runtime/steps/argument_meaning.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <string_view>
#include <vector>

namespace tessera::pipeline {
namespace {

using Meaning = ArgumentMeaning;
using Words = std::vector<std::string>;

// "in0_tile_startId" has the words in0, tile and startid.
Words words_of(const std::string& variable) {
    Words words(1);
    for (const char c : variable) {
        if (c == '_') {
            words.emplace_back();
        } else {
            words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
    }
    return words;
}

bool has(const Words& words, std::span<const std::string_view> any) {
    return std::ranges::any_of(
        words, [&](const std::string& word) { return std::ranges::find(any, word) != any.end(); });
}

bool has_part(const Words& words, std::span<const std::string_view> any) {
    return std::ranges::any_of(words, [&](const std::string& word) {
        return std::ranges::any_of(
            any, [&](std::string_view part) { return word.find(part) != word.npos; });
    });
}

template <std::size_t n>
using List = std::array<std::string_view, n>;

Meaning meaning_of_place(const Words& words) {
    if (has(words, List<2>{"addr", "address"}) || words.back().ends_with("addr")) {
        return has_part(words, List<1>{"l1"}) ? Meaning::Scratch : Meaning::Address;
    }
    if (words.back() == "l1") {
        return Meaning::Scratch;
    }
    if (has(words, List<3>{"bank", "bankid", "bank0"})) {
        return Meaning::Bank;
    }
    if (has(words, List<1>{"dram"})) {
        return Meaning::InDram;
    }
    if (words.front().starts_with("cb") || has(words, List<4>{"cb", "dfb", "cbid", "cb0"})) {
        return Meaning::Buffer;
    }
    return Meaning::Unknown;
}

// Names that are one word of their own in the vendor's kernels.
Meaning meaning_of_symbol(const Words& words) {
    struct Symbol {
        std::string_view name;
        Meaning meaning;
    };
    constexpr std::array<Symbol, 15> kSymbols{{{"mt", Meaning::RowTiles},
                                               {"kt", Meaning::InnerTiles},
                                               {"nt", Meaning::ColumnTiles},
                                               {"ht", Meaning::HeightTiles},
                                               {"wt", Meaning::WidthTiles},
                                               {"htwt", Meaning::AreaTiles},
                                               {"nc", Meaning::One},
                                               {"nb", Meaning::One},
                                               {"batch", Meaning::One},
                                               {"n", Meaning::Count},
                                               {"count", Meaning::Count},
                                               {"ntiles", Meaning::Count},
                                               {"x", Meaning::CoreX},
                                               {"y", Meaning::CoreY},
                                               {"onetile", Meaning::One}}};
    const auto* found = std::ranges::find(kSymbols, words.front(), &Symbol::name);
    return words.size() == 1 && found != kSymbols.end() ? found->meaning : Meaning::Unknown;
}

Meaning meaning_of_core(const Words& words) {
    if (!has(words, List<2>{"core", "cores"})) {
        return Meaning::Unknown;
    }
    if (has(words, List<1>{"x"})) {
        return Meaning::CoreX;
    }
    if (has(words, List<1>{"y"})) {
        return Meaning::CoreY;
    }
    if (has(words, List<3>{"id", "index", "idx"})) {
        return Meaning::CoreIndex;
    }
    return words == Words{"num", "cores"} ? Meaning::NumCores : Meaning::Unknown;
}

Meaning meaning_of_number(const Words& words) {
    if (has_part(words, List<3>{"bytes", "nbytes", "size"}) &&
        has(words, List<5>{"page", "tile", "stick", "row", "aligned"})) {
        return Meaning::PageBytes;
    }
    if (has(words, List<5>{"start", "first", "begin", "startid", "offset"})) {
        return Meaning::First;
    }
    if (has(words, List<2>{"end", "endid"})) {
        return Meaning::End;
    }
    if (has(words, List<2>{"block", "subblock"}) && has(words, List<3>{"size", "dim", "tiles"})) {
        return Meaning::One;
    }
    const bool counts = has(words, List<7>{"num", "n", "count", "cnt", "total", "per", "number"});
    const bool of_units =
        has(words, List<14>{"tiles", "tile", "pages", "page", "blocks", "block", "units", "unit",
                            "sticks", "rows", "iterations", "iters", "ntiles", "transfers"});
    return counts && of_units ? Meaning::Count : Meaning::Unknown;
}

}  // namespace

ArgumentMeaning meaning_of(const std::string& variable) {
    const Words words = words_of(variable);
    if (has_part(words, List<1>{"sem"})) {
        return Meaning::Semaphore;
    }
    for (const auto& rule :
         {meaning_of_symbol, meaning_of_core, meaning_of_place, meaning_of_number}) {
        if (const Meaning meaning = rule(words); meaning != Meaning::Unknown) {
            return meaning;
        }
    }
    return Meaning::Unknown;
}

}  // namespace tessera::pipeline
