// SPDX-License-Identifier: Apache-2.0
// Sum of a tensor over all devices of a mesh; each of them ends with the same bytes.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "ops/op.hpp"
#include "ops/shared/exchange/program.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/mesh_spec.hpp"
#include "tessera/session.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops {

/// Ring: one way round, a tile a packet. The others: exchange::Travel, several tiles a packet.
enum class AllReduceAlgorithm : std::uint8_t { Ring, Bidirectional, Line, RowsColumns, Tree };
using exchange::PartialSums;

/// `cb_depth` is of Ring, `links` to `chunk_packets` are of the others.
struct AllReduceSpec {
    AllReduceAlgorithm algorithm = AllReduceAlgorithm::Bidirectional;
    PartialSums partial_sums = PartialSums::Fp32;
    std::uint32_t cb_depth = 2;  ///< pages that each CB holds
    std::uint32_t links = kLinksPerDirection;
    std::uint32_t packet_tiles = 0;   ///< tiles of 2 KiB; 0: as many as a packet holds
    std::uint32_t chunk_packets = 0;  ///< exchange::Transport
};

}  // namespace tessera::ops

namespace tessera::config {

template <>
inline constexpr std::array kEnumNames<ops::AllReduceAlgorithm>{
    EnumName<ops::AllReduceAlgorithm>{"ring", ops::AllReduceAlgorithm::Ring},
    EnumName<ops::AllReduceAlgorithm>{"bidirectional", ops::AllReduceAlgorithm::Bidirectional},
    EnumName<ops::AllReduceAlgorithm>{"line", ops::AllReduceAlgorithm::Line},
    EnumName<ops::AllReduceAlgorithm>{"rows_columns", ops::AllReduceAlgorithm::RowsColumns},
    EnumName<ops::AllReduceAlgorithm>{"tree", ops::AllReduceAlgorithm::Tree},
};

}  // namespace tessera::config

namespace tessera::ops::all_reduce {

inline constexpr std::array<std::string_view, 5> kSchedules{"ring", "bidirectional", "line",
                                                            "rows_columns", "tree"};
inline constexpr std::array kInputs{Operand{"input", "(T, H)", "bfloat16", "ROW_MAJOR"}};
inline constexpr std::array kOutputs{Operand{.name = "output",
                                             .shape = "(T, H)",
                                             .format = "bfloat16",
                                             .layout = "ROW_MAJOR",
                                             .replicas = Replicas::Same}};
inline constexpr OpSpec kSpec{
    .name = "all_reduce",
    .summary = "sums over the devices of a group; each device gets all of the sum",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    // One rounding to bfloat16 is 2^-9; twice that, for sums that cancel.
    .tolerance = {.max_relative_error = 0x1p-8, .min_pcc = 0.99999},
};

/// Returns the op, for the registry.
///
/// Builds one program for each device of the whole mesh, to be launched together.
///
/// Groups     Ring: the whole mesh. Rows_columns: all devices of some rows and columns. The others:
///   any devices of the mesh. Order of the sums: exchange::all_reduce_plans.
/// Ring       over the devices as make_ring orders them: reduce-scatter, then all-gather.
///   Rows are cut into tiles of 1024 elements (their layout means nothing to a sum). Up to four
///   cores a device, one for each link of a direction, take contiguous shares of the tiles. They
///   talk to the cores at their own coordinate. A share goes round in rounds of one chunk a device,
///   of at most `cb_depth` tiles. The receiving CBs hold 2 · `cb_depth` tiles.
///   Order: chunk c of D is summed from ring position c on: ((x_c + x_(c+1)) + …) + x_(c+D−1),
///   positions modulo D. Each addition is in fp32; partial sums travel as fp32, or rounded to
///   bfloat16 after each addition (`partial_sums`). The full sum is rounded to bfloat16 once, where
///   it is completed, and gathered as it is.
/// One device: a copy, on up to all of its cores.
///
/// Errors   UsageError if the number of tensors is not that of devices, or the contract or a rule
///          of the op does not hold.
[[nodiscard]] const Op& op();

/// Returns the float32 sum of the devices' bfloat16 or float32 tensors, added in double.
[[nodiscard]] std::vector<HostTensor> reference(const ReferenceContext& context);

}  // namespace tessera::ops::all_reduce
