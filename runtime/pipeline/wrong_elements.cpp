// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/wrong_elements.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "emu/base/compared_pairs.hpp"
#include "emu/base/tensor_layout.hpp"

namespace tessera::pipeline {
namespace {

/// Result of the comparison of an element. Padding of tiles is `NotCompared`, too.
enum class Mark : std::uint8_t { NotCompared, Right, Wrong };

/// Applies the rules of compare_close() to one element.
bool is_wrong(double test, double reference, double reference_rms,
              const CloseTolerance& tolerance) {
    const PairKind kind = kind_of(test, reference, largest_compared(tolerance));
    const double error = std::max(0.0, std::abs(test - reference) - tolerance.format.spacing);
    return kind == PairKind::Fault ||
           (kind == PairKind::Finite &&
            relative_error(error, reference, reference_rms, tolerance) > tolerance.max_rel_err);
}

struct PageCount {
    std::size_t compared = 0;
    std::size_t wrong = 0;
};

/// Counts of a tensor by page, and by the place of an element in its page.
struct WrongCounts {
    std::vector<PageCount> pages;
    std::vector<std::size_t> by_place;
};

WrongCounts counts_of(const std::vector<std::byte>& marks, const TensorSpec& spec) {
    TensorSpec of_marks = spec;
    of_marks.format = DataFormat::UInt8;
    const TensorLayout layout(of_marks);
    WrongCounts counts{.pages = {}, .by_place = std::vector<std::size_t>(layout.page_size())};
    std::vector<std::byte> page(layout.page_size());
    for (std::uint32_t i = 0; i < layout.num_pages(); ++i) {
        layout.pack(marks, i, page);
        PageCount& count = counts.pages.emplace_back();
        for (std::size_t place = 0; place < page.size(); ++place) {
            const auto mark = static_cast<Mark>(page[place]);
            count.compared += mark != Mark::NotCompared ? 1 : 0;
            count.wrong += mark == Mark::Wrong ? 1 : 0;
            counts.by_place[place] += mark == Mark::Wrong ? 1 : 0;
        }
    }
    return counts;
}

/// Some wrong elements agree with the reference by chance.
constexpr double kMost = 0.9;

bool is_most(std::size_t part, std::size_t all) {
    return static_cast<double>(part) >= kMost * static_cast<double>(all);
}

/// Returns which part of each page is wrong, if it is the same part of all.
std::string part_text(const WrongCounts& counts, std::size_t num_pages, std::size_t wrong,
                      std::uint32_t element_bytes) {
    const bool are_whole = std::ranges::all_of(counts.pages, [](const PageCount& page) {
        return page.wrong == 0 || is_most(page.wrong, page.compared);
    });
    if (are_whole) {
        return ", the whole of each";
    }
    const auto& places = counts.by_place;
    // A place counts if it is wrong in most pages: in the other pages it may be right by chance.
    const auto is_shared = [&](std::size_t count) { return 2 * count > num_pages; };
    const auto first = std::ranges::find_if(places, is_shared);
    const auto end = std::find_if_not(first, places.end(), is_shared);
    if (end - first < 2 || !is_most(std::accumulate(first, end, std::size_t{0}), wrong)) {
        return "";
    }
    return fmt::format(", in each of them bytes {} to {}", (first - places.begin()) * element_bytes,
                       (end - places.begin()) * element_bytes - 1);
}

std::string numbers_text(const char* word, const std::vector<std::size_t>& pages) {
    constexpr std::size_t kMostShown = 4;
    const auto shown =
        pages.begin() + static_cast<std::ptrdiff_t>(std::min(kMostShown, pages.size()));
    return fmt::format(": {} {}{}", word, fmt::join(pages.begin(), shown, ", "),
                       pages.size() > kMostShown ? ", …" : "");
}

std::string text_of(const WrongCounts& counts, const TensorSpec& spec) {
    std::vector<std::size_t> touched;
    PageCount all;
    std::size_t num_compared = 0;
    for (std::size_t i = 0; i < counts.pages.size(); ++i) {
        const PageCount& page = counts.pages[i];
        all.compared += page.compared;
        all.wrong += page.wrong;
        num_compared += page.compared > 0 ? 1 : 0;
        if (page.wrong > 0) {
            touched.push_back(i);
        }
    }
    if (touched.empty()) {
        return "";
    }
    const char* word = spec.layout == Layout::TILE ? "tiles" : "rows";
    return fmt::format("; wrong: {} of {} elements, in {} of {} {}{}{}", all.wrong, all.compared,
                       touched.size(), num_compared, word,
                       part_text(counts, touched.size(), all.wrong, element_bytes(spec.format)),
                       touched.size() < num_compared ? numbers_text(word, touched) : "");
}

}  // namespace

std::string wrong_elements(const OutputRanges& output, const TensorSpec& spec,
                           const CloseTolerance& tolerance, double reference_rms) {
    // In a block format the allowed error of an element depends on the rest of its block, which
    // is_wrong() does not see.
    if (tolerance.format.block_step > 0) {
        return "";
    }
    std::vector<std::byte> marks(num_elements(spec.shape), std::byte{0});
    bool are_zeros = true;
    for (const ValidRange& range : output.ranges) {
        const std::vector<ComparedPart> part{
            {part_of(output.output.test, range), part_of(output.output.reference, range)}};
        for_each_block(part, [&](const PairBlock& block) {
            for (std::size_t i = 0; i < block.test.size(); ++i) {
                const bool is_one =
                    is_wrong(block.test[i], block.reference[i], reference_rms, tolerance);
                are_zeros = are_zeros && (!is_one || block.test[i] == 0);
                marks[range.first + block.first + i] =
                    static_cast<std::byte>(is_one ? Mark::Wrong : Mark::Right);
            }
        });
    }
    const std::string text = text_of(counts_of(marks, spec), spec);
    return text + (!text.empty() && are_zeros ? "; all of them are 0" : "");
}

}  // namespace tessera::pipeline
