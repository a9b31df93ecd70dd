// SPDX-License-Identifier: Apache-2.0
// All-to-all of MLA: joins heads that are split over devices, and splits users. 16 heads are half a
// tile high, so a part is half tiles, four of them in a packet. The op all_to_all has rows of as
// many bytes.
// Source   tt-metal models/demos/deepseek_v3/tests/fused_op_unit_tests/mla/
//          test_alltoall_deepseek.py: joins extent 2, splits extent 1; a ring of eight, four links;
//          tensors in L1.
#include "bench/accuracy/programs/collective.hpp"
#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/programs/places.hpp"
#include "bench/accuracy/units.hpp"

namespace tessera::score {

Prediction predict_model_all_to_all(const Row& row, const Parameters& parameters,
                                    const Model& model) {
    constexpr std::uint32_t kExchangeLinks = 4;
    constexpr std::uint32_t kHalfTile = kTileSide / 2;
    const std::vector<std::uint32_t> shape = parameters.shape("shape");
    const std::uint32_t devices = parameters.count("placement");
    expressible(parameters.format("dtype") == DataFormat::Float16_b, "dtype is not bfloat16");
    expressible(shape.size() == 4 && shape[0] == 1 && shape[2] == kHalfTile,
                "shape is not 1 x users x 16 x width");
    expressible(devices >= 4 && devices % 2 == 0 && shape[1] % devices == 0,
                "{} users on a ring of {}", shape[1], devices);
    const Collective ring{
        .mesh = {.shape = {1, devices}, .topology = Topology::Ring, .device = model.arch.name},
        .links = kExchangeLinks,
        .memory = BufferType::L1};
    const std::uint64_t row_tiles = (shape[3] + kTileSide - 1) / kTileSide;
    const std::uint64_t part =
        shape[1] / devices * row_tiles * (tile_bytes(DataFormat::Float16_b) / 2);
    // This version of the kernels sends half of the opposite device's data in each direction.
    return as_time(
        row, part_exchange_cycles(model, ring, part, ops::all_to_all::Opposite::EitherWay), model);
}

}  // namespace tessera::score
