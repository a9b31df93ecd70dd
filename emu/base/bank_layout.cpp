// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <numeric>
#include <utility>

#include "tessera/errors.hpp"
#include "tessera/page_address.hpp"

namespace tessera {
namespace {

/// std::minstd_rand0, which is libstdc++'s default_random_engine; seed 0 is replaced by 1.
class ShuffleEngine {
public:
    static constexpr std::uint64_t kRange = 2147483645;  // max - min
    std::uint64_t next() noexcept {
        state_ = state_ * 16807 % 2147483647;
        return state_ - 1;
    }
    /// Returns a uniform number in [0, bound): libstdc++'s downscaling with rejection.
    std::uint64_t below(std::uint64_t bound) noexcept {
        const std::uint64_t scaling = kRange / bound;
        std::uint64_t drawn = next();
        while (drawn >= bound * scaling) {
            drawn = next();
        }
        return drawn / scaling;
    }

private:
    std::uint64_t state_ = 1;
};

/// Returns 0 … n−1 in the order of libstdc++'s std::shuffle: one draw gives two swap positions.
std::vector<std::uint32_t> shuffled(std::size_t n) {
    std::vector<std::uint32_t> ids(n);
    std::iota(ids.begin(), ids.end(), 0U);
    ShuffleEngine engine;
    std::size_t i = 1;
    if (n % 2 == 0 && n > 0) {
        std::swap(ids[i], ids[engine.below(2)]);
        ++i;
    }
    for (; i + 1 < n; i += 2) {
        const std::uint64_t both = engine.below((i + 1) * (i + 2));
        std::swap(ids[i], ids[both / (i + 2)]);
        std::swap(ids[i + 1], ids[both % (i + 2)]);
    }
    return ids;
}

}  // namespace

std::vector<CoreCoord> l1_bank_order(GridSize grid) {
    const std::vector<std::uint32_t> bank_of_core = shuffled(std::size_t{grid.columns} * grid.rows);
    std::vector<CoreCoord> cores(bank_of_core.size());
    std::size_t i = 0;
    for (std::uint32_t y = 0; y < grid.rows; ++y) {
        for (std::uint32_t x = 0; x < grid.columns; ++x) {
            cores[bank_of_core[i++]] = {x, y};
        }
    }
    return cores;
}

BankLayout make_bank_layout(const ArchSpec& arch) {
    return {arch.dram.num_banks, l1_bank_order(arch.workers.compute)};
}

}  // namespace tessera
