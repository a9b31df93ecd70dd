// SPDX-License-Identifier: Apache-2.0
// Programs whose compute kernel processes 32 rows at a time, in strips of four tiles: the host code
// shared by ops along a row (norms, softmax, rotations).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ops/op.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "tessera/program.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops {

inline constexpr std::uint32_t kStripTiles = 4;
inline constexpr std::uint32_t kStripColumns = kStripTiles * kTileColumns;

/// A circular buffer of tiles that only some kernels over strips have.
struct StripBuffer {
    std::uint32_t cb = 0;  ///< index_of the op's enum
    DataFormat format = DataFormat::Float16_b;
    std::uint32_t tiles = 0;
};

/// The kernels over strips and their parameters.
struct RowStrips {
    const DeviceTensor& input;           ///< (…, C) bfloat16 or float32
    const DeviceTensor& output;          ///< (…, C)
    std::string compute;                 ///< kernel
    NamedCompileArgs compute_args = {};  ///< beside row_strips::StripArgs
    /// The one that is there brings the rows alone.
    std::string reader = "ops/shared/row_strips/kernels/reader.cpp";
    NamedCompileArgs reader_args = {};               ///< beside row_strips::RowsArgs
    std::vector<const DeviceTensor*> operands = {};  ///< beside the input: of the op's own reader
    std::vector<StripBuffer> buffers = {};           ///< beside those of every such program
    std::uint32_t fill = 0;                          ///< word in columns that rows do not have
    /// Not 0: row r counts only to column first_visible + r / visible_rows % visible_period, and
    /// columns after it are filled.
    std::uint32_t visible_rows = 0;
    std::uint32_t visible_period = 1;
    std::uint32_t first_visible = 1;
};

/// Distributes units of 32 rows over the cores by split_work_to_cores. A core keeps a whole unit in
/// L1 as tiles. Rows are read and written a strip at a time, so rows may exceed a page of the NoC.
[[nodiscard]] Program row_strips_program(std::string_view op, const ArchSpec& arch,
                                         const RowStrips& strips, GridSize grid);

/// Checks the rules of a grid and that units of rows fit in a core's L1 together with
/// `other_bytes`.
void judge_row_strips(const ArchSpec& arch, GridSize grid, const TensorSpec& input,
                      std::uint64_t other_bytes, RuleJudge& judge);
[[nodiscard]] std::uint64_t bytes_of(const std::vector<StripBuffer>& buffers);

/// Parameters of ops over rows without parameters of their own.
struct RowsSpec {
    GridSize grid;  ///< cores to spread over; 0×0: all that the device offers
};

/// Calls `act` with each row of the input as double, which it changes in place. Returns the rows as
/// float32.
[[nodiscard]] HostTensor for_each_row(
    const HostTensor& input,
    const std::function<void(std::size_t row, std::vector<double>& values)>& act);

}  // namespace tessera::ops
