// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/wrong_elements.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "emu/base/compared_pairs.hpp"
#include "emu/base/round_up.hpp"

namespace tessera::pipeline {
namespace {

/// Maps elements of a host tensor to the pages of its buffer.
class Pages {
public:
    explicit Pages(const TensorSpec& spec)
        : is_tiled_(spec.layout == Layout::TILE),
          tile_(spec.tile),
          columns_(spec.shape.back()),
          rows_(spec.shape.size() > 1 ? spec.shape[spec.shape.size() - 2] : 1) {}

    [[nodiscard]] const char* word() const { return is_tiled_ ? "tiles" : "rows"; }
    /// Returns the page of an element, and its place there.
    [[nodiscard]] std::pair<std::size_t, std::size_t> place_of(std::size_t element) const {
        const std::size_t column = element % columns_;
        const std::size_t row = element / columns_;
        if (!is_tiled_) {
            return {row, column};
        }
        const auto [height, width] = tile_.get_tile_shape();
        const auto [face_height, face_width] = tile_.get_face_shape();
        const std::size_t matrix = row / rows_;
        const std::size_t in_matrix = row % rows_;
        const std::size_t tile =
            (matrix * div_up(rows_, std::size_t{height}) + in_matrix / height) *
                div_up(columns_, std::size_t{width}) +
            column / width;
        // A tile is stored face by face, row by row.
        const std::size_t face =
            in_matrix % height / face_height * (width / face_width) + column % width / face_width;
        return {tile,
                (face * face_height + in_matrix % face_height) * face_width + column % face_width};
    }

private:
    bool is_tiled_;
    Tile tile_;
    std::size_t columns_;
    std::size_t rows_;
};

struct PageCount {
    std::size_t elements = 0;
    std::size_t wrong = 0;
};

/// Counts wrong elements by page and by place in a page.
class WrongCount {
public:
    WrongCount(const TensorSpec& spec, const CloseTolerance& tolerance, double reference_rms)
        : pages_of_(spec), tolerance_(tolerance), least_unit_(tolerance.floor * reference_rms) {}

    void add(std::size_t element, double test, double reference) {
        const auto [page, place] = pages_of_.place_of(element);
        pages_.resize(std::max(pages_.size(), page + 1));
        by_place_.resize(std::max(by_place_.size(), place + 1));
        ++pages_[page].elements;
        if (is_wrong(test, reference)) {
            ++pages_[page].wrong;
            ++by_place_[place];
            are_zeros_ = are_zeros_ && test == 0;
        }
    }

    [[nodiscard]] std::string text(std::uint32_t element_bytes) const {
        std::vector<std::size_t> touched;
        PageCount all;
        std::size_t num_pages = 0;
        for (std::size_t page = 0; page < pages_.size(); ++page) {
            all.elements += pages_[page].elements;
            all.wrong += pages_[page].wrong;
            num_pages += pages_[page].elements > 0 ? 1 : 0;
            if (pages_[page].wrong > 0) {
                touched.push_back(page);
            }
        }
        if (all.wrong == 0) {
            return "";
        }
        return fmt::format("; wrong: {} of {} elements, in {} of {} {}{}{}{}", all.wrong,
                           all.elements, touched.size(), num_pages, pages_of_.word(),
                           part_text(touched, all.wrong, element_bytes),
                           touched.size() < num_pages ? numbers_text(touched) : "",
                           are_zeros_ ? "; all of them are 0" : "");
    }

private:
    /// Some wrong elements may agree with the reference by chance.
    static constexpr double kMost = 0.9;

    [[nodiscard]] bool is_wrong(double test, double reference) const {
        // As compare_close() does.
        const PairKind kind =
            kind_of(test, reference, tolerance_.format.largest * (1 - tolerance_.max_rel_err));
        return kind == PairKind::Fault ||
               (kind == PairKind::Finite &&
                std::abs(test - reference) >
                    tolerance_.max_rel_err * std::max(std::abs(reference), least_unit_) +
                        tolerance_.format.spacing);
    }

    /// Returns which part of each page is wrong, if it is the same part of all.
    [[nodiscard]] std::string part_text(const std::vector<std::size_t>& touched, std::size_t wrong,
                                        std::uint32_t element_bytes) const {
        const bool are_whole = std::ranges::all_of(touched, [&](std::size_t page) {
            return static_cast<double>(pages_[page].wrong) >=
                   kMost * static_cast<double>(pages_[page].elements);
        });
        if (are_whole) {
            return ", the whole of each";
        }
        const auto is_shared = [&](std::size_t count) { return 2 * count > touched.size(); };
        const auto first = std::ranges::find_if(by_place_, is_shared);
        const auto end = std::find_if_not(first, by_place_.end(), is_shared);
        const std::size_t inside = std::accumulate(first, end, std::size_t{0});
        if (end - first < 2 || static_cast<double>(inside) < kMost * static_cast<double>(wrong)) {
            return "";
        }
        return fmt::format(", in each of them bytes {} to {}",
                           (first - by_place_.begin()) * element_bytes,
                           (end - by_place_.begin()) * element_bytes - 1);
    }

    [[nodiscard]] std::string numbers_text(const std::vector<std::size_t>& touched) const {
        constexpr std::size_t kMostShown = 4;
        const auto shown =
            touched.begin() + static_cast<std::ptrdiff_t>(std::min(kMostShown, touched.size()));
        return fmt::format(": {} {}{}", pages_of_.word(), fmt::join(touched.begin(), shown, ", "),
                           touched.size() > kMostShown ? ", …" : "");
    }

    Pages pages_of_;
    CloseTolerance tolerance_;
    double least_unit_;
    std::vector<PageCount> pages_;
    std::vector<std::size_t> by_place_;
    bool are_zeros_ = true;
};

}  // namespace

std::string wrong_elements(const OutputRanges& output, const TensorSpec& spec,
                           const CloseTolerance& tolerance, double reference_rms) {
    if (tolerance.format.block_step > 0) {
        return "";
    }
    WrongCount count(spec, tolerance, reference_rms);
    for (const ValidRange& range : output.ranges) {
        const std::vector<ComparedPart> part{
            {part_of(output.output.test, range), part_of(output.output.reference, range)}};
        for_each_block(part, [&](const PairBlock& block) {
            for (std::size_t i = 0; i < block.test.size(); ++i) {
                count.add(range.first + block.first + i, block.test[i], block.reference[i]);
            }
        });
    }
    return count.text(element_bytes(spec.format));
}

}  // namespace tessera::pipeline
