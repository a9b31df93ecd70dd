// SPDX-License-Identifier: Apache-2.0
// The schedule of a product of expert rows whose readers are next to their DRAM bank.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ops/shared/expert_rows/expert_product.hpp"

namespace tessera::ops {

/// Share of a core in this schedule, in tiles.
struct NearBanks {
    std::uint32_t banks = 0;  ///< cores of a team: one for each bank
    std::uint32_t teams = 0;  ///< teams share the columns
    std::uint32_t k_tiles = 0;
    std::uint32_t n_tiles = 0;
    std::uint32_t k_push = 0;     ///< tiles of weights of one push
    std::uint32_t pushes = 0;     ///< pushes that a core holds
    std::uint32_t tile_rows = 0;  ///< most tile rows of an expert that share a read of its weights
    std::uint32_t units = 0;      ///< units whose tiles a core holds: 2, or 1
    std::uint32_t chunk = 0;      ///< K tiles of rows that are tilized together
    std::uint32_t kept_step = 0;  ///< a core multiplies every kept_step-th K tile of the rows
    std::uint32_t row_parts = 0;  ///< cores that bring a tile row
};

/// Operands of a product that decide whether readers may be next to their bank.
struct NearOperands {
    const TensorSpec& rows;
    const TensorSpec& weights;
    bool is_plain = false;        ///< neither scales, zero points nor a bias
    std::uint32_t rows_each = 0;  ///< of an expert, as the host expects them; 0: few
    std::uint32_t tile_rows = 0;  ///< of all experts, at the most; 0: unknown
};

/// Returns the distribution that a schedule asks for or chooses; none if it reads by all cores.
/// With ProductSchedule::weight_reads of NearBanks it is none only if near_banks_fault() has a
/// text.
[[nodiscard]] std::optional<NearBanks> near_banks_of(const ArchSpec& arch,
                                                     const NearOperands& operands,
                                                     const ProductSchedule& schedule);

/// Returns why readers cannot be next to their bank, or an empty text if they can.
[[nodiscard]] std::string near_banks_fault(const ArchSpec& arch, const NearOperands& operands,
                                           const ProductSchedule& schedule);

/// Returns the program. A bank has `teams` cores beside it. A core multiplies the rows with those
/// weights of its team's columns that are in its bank. The sums of the banks are added in the order
/// of their numbers.
[[nodiscard]] Program near_banks_program(const ArchSpec& arch, const ExpertProduct& product,
                                         const NearBanks& near, MathFidelity fidelity);

}  // namespace tessera::ops
