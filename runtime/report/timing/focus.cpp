// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/focus.hpp"

#include <charconv>
#include <set>
#include <string_view>
#include <utility>

#include "tessera/errors.hpp"

namespace tessera::report {
namespace {

template <class Number>
Number number_of(std::string_view text, const std::string& word) {
    Number number{};
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    require(error == std::errc() && rest == text.data() + text.size() && !text.empty(),
            "--focus {}: {} is not a whole number", word, text.empty() ? "nothing" : text);
    return number;
}

/// Returns the two numbers around a separator: "4,0".
template <class Number>
std::pair<Number, Number> two_numbers(std::string_view text, std::string_view mark,
                                      const std::string& word) {
    const std::size_t at = text.find(mark);
    require(at != std::string_view::npos, "--focus {}: allowed: two numbers with {} between them",
            word, mark);
    return {number_of<Number>(text.substr(0, at), word),
            number_of<Number>(text.substr(at + mark.size()), word)};
}

void set_window(std::string_view value, const std::string& word, Focus& focus) {
    constexpr Millicycles kMost = std::numeric_limits<Millicycles>::max() / kMillicyclesPerCycle;
    const auto [from, to] = two_numbers<Millicycles>(value, "..", word);
    require(from >= 0 && from < to && to <= kMost,
            "--focus {}: allowed: cycles FROM..TO with FROM below TO", word);
    focus.from = from * kMillicyclesPerCycle;
    focus.to = to * kMillicyclesPerCycle;
}

}  // namespace

Focus parse_focus(std::span<const std::string> words) {
    Focus focus;
    std::set<std::string_view> seen;
    for (const std::string& word : words) {
        const std::string_view text = word;
        const std::size_t equals = text.find('=');
        const std::string_view key = text.substr(0, equals);
        const std::string_view value =
            equals == std::string_view::npos ? "" : text.substr(equals + 1);
        require(seen.insert(key).second, "--focus {}: {} is given twice", word, key);
        if (key == "step" && !value.empty()) {
            focus.step = value;
        } else if (key == "device") {
            focus.device = number_of<std::uint16_t>(value, word);
        } else if (key == "core") {
            const auto [x, y] = two_numbers<std::uint32_t>(value, ",", word);
            focus.core = CoreCoord{x, y};
        } else if (key == "window") {
            set_window(value, word, focus);
        } else {
            throw UsageError("--focus " + word +
                             ": allowed: step=NAME, device=N, core=X,Y, window=FROM..TO");
        }
    }
    return focus;
}

}  // namespace tessera::report
