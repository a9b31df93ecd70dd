// SPDX-License-Identifier: Apache-2.0
// The keys of one tensor of a pipeline.
#pragma once

#include <array>

#include "emu/base/fields/field.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "runtime/steps/pipeline_spec.hpp"

namespace tessera::config {

template <>
inline constexpr std::array kEnumNames<pipeline::Distribution>{
    EnumName<pipeline::Distribution>{"replicated", pipeline::Distribution::Replicated},
    EnumName<pipeline::Distribution>{"each", pipeline::Distribution::Each},
};

template <>
inline constexpr std::array kEnumNames<pipeline::Domain>{
    EnumName<pipeline::Domain>{"all", pipeline::Domain::All},
    EnumName<pipeline::Domain>{"not_zero", pipeline::Domain::NotZero},
    EnumName<pipeline::Domain>{"positive", pipeline::Domain::Positive},
};

inline constexpr std::array kMemoryFields{
    field<&MemoryConfig::memory>("memory", "dram", "of interleaved pages; shards are in l1"),
    field<&MemoryConfig::layout>(
        "layout", "interleaved",
        "interleaved over banks, or in shards: rows and columns of pages over the grid (block), "
        "rows (height) or columns (width) over all its cores"),
    field<&MemoryConfig::grid>("grid", ops::kWholeGrid, "cores with shards; [0, 0] if interleaved",
                               ops::kGridSide),
    field<&MemoryConfig::orientation>(
        "orientation", "row_major", "order of shards: along the rows of the grid or down columns"),
};

using pipeline::PipelineTensor;
inline constexpr std::array kSplitFields{
    field<&PipelineTensor::split_axis>("axis", "0", "the axis that is split over the devices"),
    field<&PipelineTensor::split_by>(
        "by", "none",
        "a (D, n) tensor of int32 whose row d lists the indices that device d holds, or one of "
        "each "
        "device with the place there of every index, or -1; none: equal contiguous parts"),
    field<&PipelineTensor::split_over>("over", "all",
                                       "groups of devices, each of which holds all parts: all, "
                                       "rows, columns, each, or a name of `groups:`"),
    field<&PipelineTensor::drops_axis>("drop", "false",
                                       "whether the axis, one index a device, is left out there"),
};

using pipeline::TensorOrigin;
inline constexpr std::array kNormalFields{
    field<&TensorOrigin::stddev>("stddev", "1", "standard deviation; the mean is 0",
                                 Limits{0, 1e30}),
    field<&TensorOrigin::fan_in>("fan_in", "0",
                                 "not 0: the deviation is 1/√fan_in, so that products with the "
                                 "tensor keep the size of their other operand"),
    field<&TensorOrigin::domain>("domain", "all",
                                 "values nearer to 0 than 1/8 are moved away from it (not_zero), "
                                 "or all made positive (positive)"),
};
inline constexpr std::string_view kRoutingKindProse =
    "experts that tokens select: uniform; zipf, some experts popular; one_expert, expert 0 "
    "first in every token; hot_and_empty, a few take most tokens and some none";
inline constexpr std::string_view kZipfProse = "skew of zipf: rank r has weight 1/(r+1)^exponent";
inline constexpr std::array kRoutingFields{
    field<&TensorOrigin::experts>("experts", kRequired, "over all devices", Limits{1, 65536}),
    field<&TensorOrigin::routing>("kind", "zipf", kRoutingKindProse),
    field<&TensorOrigin::zipf_exponent>("zipf_exponent", "1.0", kZipfProse, Limits{0, 8}),
};
inline constexpr std::array kRoutingLogitsFields{
    field<&TensorOrigin::top_k>("top_k", kRequired, "experts that each token selects",
                                Limits{1, 65536}),
    field<&TensorOrigin::routing>("kind", "zipf", kRoutingKindProse),
    field<&TensorOrigin::zipf_exponent>("zipf_exponent", "1.0", kZipfProse, Limits{0, 8}),
};
inline constexpr std::array kRoutingWeightsFields{
    field<&TensorOrigin::weights>("weights", "softmax", "how routing weights follow from scores"),
};
inline constexpr std::array kMappingFields{
    field<&TensorOrigin::mapping>(
        "kind", "contiguous",
        "experts of device d of D: contiguous, d·E/D on; round_robin, every D-th from d; permuted, "
        "drawn from the seed"),
};
inline constexpr std::array kConstantFields{
    field<&TensorOrigin::value>("constant", kRequired, "of every element"),
};
inline constexpr std::array kJoinFields{
    field<&TensorOrigin::parts>(
        "join", kRequired,
        "tensors, one behind the other; those of fewer extents have leading ones of 1"),
    field<&TensorOrigin::axis>("axis", "0", "along which they follow each other"),
};
inline constexpr std::array kIndexFields{
    field<&TensorOrigin::index>("index", kRequired,
                                "an expression over i, the element's number from 0 on in row-major "
                                "order, and device: positions, pages, lists of rows"),
};
inline constexpr std::array kFileFields{
    field<&TensorOrigin::file>("file", kRequired, "a safetensors file, relative to the run file"),
    field<&TensorOrigin::tensor>("tensor", "none", "its name there; none: the tensor's own"),
};

/// How an origin is written: a word, {key: word, …} or {key: value, …}.
struct OriginRow {
    std::string_view key;   ///< empty: the word alone
    std::string_view word;  ///< empty: the key's value is a field
    pipeline::OriginKind kind;
    std::span<const Field> fields;
};
inline constexpr std::array kOriginRows{
    OriginRow{"random", "normal", pipeline::OriginKind::Normal, kNormalFields},
    OriginRow{"random", "routing", pipeline::OriginKind::Routing, kRoutingFields},
    OriginRow{"random", "routing_weights", pipeline::OriginKind::RoutingWeights,
              kRoutingWeightsFields},
    OriginRow{"random", "routing_logits", pipeline::OriginKind::RoutingLogits,
              kRoutingLogitsFields},
    OriginRow{"random", "expert_mapping", pipeline::OriginKind::ExpertMapping, kMappingFields},
    OriginRow{"random", "expert_map", pipeline::OriginKind::ExpertMap, kMappingFields},
    OriginRow{"", "zeros", pipeline::OriginKind::Zeros, {}},
    OriginRow{"constant", "", pipeline::OriginKind::Constant, kConstantFields},
    OriginRow{"join", "", pipeline::OriginKind::Join, kJoinFields},
    OriginRow{"index", "", pipeline::OriginKind::Index, kIndexFields},
    OriginRow{"file", "", pipeline::OriginKind::File, kFileFields},
};

}  // namespace tessera::config
