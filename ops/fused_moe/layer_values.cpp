// SPDX-License-Identifier: Apache-2.0
// Checks of the values that steer a layer: ids, maps, places and exponents of scales.
#include <fmt/ranges.h>

#include <algorithm>

#include "ops/fused_moe/layer_op.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "tessera/errors.hpp"

namespace tessera::ops::fused_moe {
namespace {

/// Each expert adds to a token once, so it is on one device. An own batch of tokens may leave
/// experts to devices outside of the group.
void check_each_once(const std::vector<HostTensor>& maps, bool may_lack_experts) {
    for (std::size_t e = 0; e < maps.front().shape[0]; ++e) {
        std::vector<std::size_t> devices;
        for (std::size_t device = 0; device < maps.size(); ++device) {
            if (maps[device].as<std::int32_t>()[e] != kNobody) {
                devices.push_back(device);
            }
        }
        require(
            devices.size() == 1 || (devices.empty() && may_lack_experts),
            "{}: expert_map: expert {} is on {}; allowed: one device", kSpec.name, e,
            devices.empty() ? "no device" : fmt::format("devices {}", fmt::join(devices, " and ")));
    }
}

/// The places are what the maps say.
void check_places(const HostTensor& places, const std::vector<HostTensor>& maps,
                  std::uint32_t slots) {
    for (std::size_t e = 0; e < places.shape[0]; ++e) {
        std::int32_t wanted = kNobody;
        for (std::size_t device = 0; device < maps.size(); ++device) {
            const std::int32_t slot = maps[device].as<std::int32_t>()[e];
            wanted = slot == kNobody ? wanted : static_cast<std::int32_t>(device * slots) + slot;
        }
        require(places.as<std::int32_t>()[e] == wanted,
                "{}: expert_places[{}] is {}; allowed: {}, as expert_map says", kSpec.name, e,
                places.as<std::int32_t>()[e], wanted);
    }
}

/// The part that finds the device of an expert by its number, and what it does there.
std::string finds_by_number(const Selection& pair) {
    return pair.prepare_finalize->needs_contiguous_experts
               ? fmt::format("{} sends the tokens of", pair.prepare_finalize->name)
               : fmt::format("{} leaves the tokens of", pair.experts->name);
}

void check_contiguous(const Selection& pair, const HostTensor& map, std::size_t device,
                      std::uint32_t local_experts) {
    for (std::size_t e = 0; e < map.shape[0]; ++e) {
        // Device d must have experts [d * local, (d + 1) * local) in order.
        const std::int32_t wanted =
            e / local_experts == device ? static_cast<std::int32_t>(e % local_experts) : kNobody;
        require(map.as<std::int32_t>()[e] == wanted,
                "{}: expert_map[{}] of device {} is {}; {} expert {} to "
                "device {}; allowed: {}, or any map with expert_places",
                kSpec.name, e, device, map.as<std::int32_t>()[e], finds_by_number(pair), e,
                e / local_experts, wanted);
    }
}

/// Only scales in the form of exponents are read: those of other formats may be gigabytes, which
/// take seconds to draw.
///
/// Products add up to 6 to exponents of mxfp4 (packed_weights.hpp), which have to stay bytes; 255
/// is no number.
void check_exponents(const ReferenceContext& context) {
    constexpr std::uint8_t kMost = 248;
    for (const std::size_t operand : {kW1Scale, kW2Scale}) {
        if (!context.has(operand) ||
            context.params<MoeSpec>().quantisation.row->scales != DataFormat::UInt8) {
            continue;
        }
        for (const HostTensor& scales : context.read_all(operand)) {
            const auto codes = scales.as<std::uint8_t>();
            const auto found =
                std::ranges::find_if(codes, [](std::uint8_t code) { return code > kMost; });
            require(found == codes.end(), "{}: {} has the exponent {}; allowed: 0 to {}",
                    kSpec.name, kInputs[operand].name, found == codes.end() ? 0 : *found, kMost);
        }
    }
}

}  // namespace

void check_layer_values(const ReferenceContext& context) {
    const auto& given = context.params<MoeSpec>();
    const auto ranks = static_cast<std::uint32_t>(context.inputs["a"_in].size());
    const HostTensor values = context.read(kTopkIds);
    const std::uint32_t experts = context.in(kExpertMap).shape()[0];
    const std::uint32_t local_experts = context.in(kW1).shape()[0];
    const auto shape_of = [&](std::size_t place) -> const Shape& {
        return context.in(place).shape();
    };
    const Selection pair =
        select_pair(situation_of(given, size_of(given, ranks, shape_of), values.format,
                                 context.has(kW1Bias) || context.has(kW2Bias)));
    const PrepareAndFinalize& pf = *pair.prepare_finalize;
    const bool are_contiguous = need_contiguous_experts(pf, *pair.experts);
    const std::vector<HostTensor> maps = context.read_all(kExpertMap);
    check_exponents(context);
    const NamedTable ids{kInputs[kTopkIds].name, values};
    // Judged before the run: an id steers where a token is sent.
    check_indices(kSpec.name, ids, experts, Nobody::Allowed);
    // Batches have room for one row of each token and expert; blocks of rows take any number.
    if (pf.activation_format == Format::BatchedExperts) {
        check_selects_once(fmt::format("{} with {}", kSpec.name, pf.name), ids);
    }
    for (std::size_t device = 0; device < maps.size(); ++device) {
        check_expert_map(kSpec.name, maps[device], local_experts);
        if (are_contiguous && !context.has(kExpertPlaces)) {
            check_contiguous(pair, maps[device], device, local_experts);
        }
    }
    check_each_once(maps, given.tokens == Tokens::Own && !are_contiguous);
    if (context.has(kExpertPlaces)) {
        check_places(context.read(kExpertPlaces), maps, local_experts);
    }
}

}  // namespace tessera::ops::fused_moe
