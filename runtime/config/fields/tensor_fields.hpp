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

template <>
inline constexpr std::string_view kPairForm<ShardShape> = "[rows, columns]";

inline constexpr std::array kMemoryFields{
    field<&MemoryConfig::memory>("memory", "dram", "memory of the pages or shards"),
    field<&MemoryConfig::layout>(
        "layout", "interleaved",
        "interleaved: over banks; block, height, width: in shards of rows and columns, of rows, or "
        "of columns of pages"),
    field<&MemoryConfig::grid>("grid", ops::kWholeGrid,
                               "cores that hold shards, in DRAM banks; [0, 0]: all banks of DRAM; "
                               "none if interleaved",
                               ops::kGridSide),
    field<&MemoryConfig::orientation>("orientation", "row_major",
                                      "order of shards: along rows of the grid, or down columns"),
    field<&MemoryConfig::shard>(
        "shard", "[0, 0]",
        "elements of each shard of layout block; shards go round the cores or banks in turn; "
        "[0, 0]: one shard for each core or bank"),
};

using pipeline::PipelineTensor;
inline constexpr std::array kSplitFields{
    field<&PipelineTensor::split_axis>("axis", "0", "axis that is split over the devices"),
    field<&PipelineTensor::split_by>(
        "by", "none",
        "the indices of each device: an int32 tensor (D, n) with a row for each device, -1 for no "
        "index. [[0, 2], [1, 3]] gives device 0 the indices 0 and 2. Or a tensor of each device "
        "that gives every index its place there, -1 for indices of other devices. none: equal "
        "contiguous parts"),
    field<&PipelineTensor::split_extent>(
        "extent", "0",
        "indices that each device has space for, if devices hold different numbers of them; those "
        "that `by` leaves free are zeros; 0: as many on each device"),
    field<&PipelineTensor::split_over>("over", "all",
                                       "groups of devices; each group holds all parts: all, rows, "
                                       "columns, each, or a name of `groups:`"),
    field<&PipelineTensor::drops_axis>("drop", "false",
                                       "whether devices leave out the axis; each holds one index"),
};

using pipeline::TensorOrigin;
inline constexpr std::array kNormalFields{
    field<&TensorOrigin::stddev>("stddev", "1", "standard deviation; the mean is 0",
                                 Limits{0, 1e30}),
    field<&TensorOrigin::fan_in>("fan_in", "0",
                                 "if not 0, the standard deviation is 1/√fan_in, so that "
                                 "products keep the size of the other operand"),
    field<&TensorOrigin::domain>("domain", "all",
                                 "not_zero: values are moved at least 1/8 away from 0; "
                                 "positive: all values are positive, too"),
};
inline constexpr std::string_view kRoutingKindProse =
    "experts that tokens select. uniform: all alike; zipf: some are popular; one_expert: expert 0 "
    "is the first of each token; hot_and_empty: few get most tokens, some get none";
inline constexpr std::string_view kZipfProse = "skew of zipf: rank r has weight 1/(r+1)^exponent";
inline constexpr std::array kRoutingFields{
    field<&TensorOrigin::experts>("experts", kRequired, "experts of all devices", Limits{1, 65536}),
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
    field<&TensorOrigin::weights>("weights", "softmax",
                                  "function of the scores that gives routing weights"),
};
inline constexpr Field kMappingKind = field<&TensorOrigin::mapping>(
    "kind", "contiguous",
    "experts of a device. contiguous: neighbours; round_robin: every D-th of D devices; permuted: "
    "random. The first E mod D devices have one more than the others");
inline constexpr std::array kMapFields{kMappingKind};
inline constexpr std::array kMappingFields{
    kMappingKind,
    field<&TensorOrigin::experts>(
        "experts", "0",
        "experts of all devices; slots beyond are -1; 0: as many as there are slots",
        Limits{0, 65536}),
};
inline constexpr std::array kPlacesFields{
    field<&TensorOrigin::map>(
        "places", kRequired,
        "a tensor of each device with the local place of every index, -1 if it is elsewhere; an "
        "element is device * slots + place"),
    field<&TensorOrigin::slots>("slots", kRequired, "places of each device", Limits{1, 65536}),
};
inline constexpr std::array kConstantFields{
    field<&TensorOrigin::value>("constant", kRequired, "value of each element"),
};
inline constexpr std::array kJoinFields{
    field<&TensorOrigin::parts>(
        "join", kRequired,
        "tensors that are concatenated; leading extents of 1 are added to those that have fewer"),
    field<&TensorOrigin::axis>("axis", "0", "axis of the concatenation"),
};
inline constexpr std::array kIndexFields{
    field<&TensorOrigin::index>("index", kRequired,
                                "an expression over i, the row-major number of the element from "
                                "0, and device, such as i + 1"),
};
inline constexpr std::array kFileFields{
    field<&TensorOrigin::file>("file", kRequired, "a safetensors file, relative to the run file"),
    field<&TensorOrigin::tensor>("tensor", "none",
                                 "name in the file; none: the name of the tensor"),
};

inline constexpr std::array kCheckpointFields{
    field<&TensorOrigin::checkpoint>(
        "checkpoint", kRequired,
        "a model's folder with model.safetensors.index.json or model.safetensors, or one "
        "safetensors file; relative to the run file"),
    field<&TensorOrigin::tensors>(
        "tensors", kRequired,
        "names of stored matrices, which are put one below the other; * stands for the index of "
        "the first of three axes, and a name without it for a stack of all. For a tensor of one "
        "axis, names are those of single numbers, and * stands for the index of an element"),
    field<&TensorOrigin::transposed>("transposed", "false",
                                     "whether stored matrices are (columns, rows)"),
    field<&TensorOrigin::largest>("largest", "false",
                                  "one element: the largest stored number of all names, and of 0, "
                                  "1, … for * while there are such names"),
    field<&TensorOrigin::inverse>("inverse", "false",
                                  "whether stored numbers are divisors, as in compressed-tensors"),
};

/// Syntax of an origin: a word, {key: word, …} or {key: value, …}.
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
    OriginRow{"random", "expert_map", pipeline::OriginKind::ExpertMap, kMapFields},
    OriginRow{"", "zeros", pipeline::OriginKind::Zeros, {}},
    OriginRow{"constant", "", pipeline::OriginKind::Constant, kConstantFields},
    OriginRow{"join", "", pipeline::OriginKind::Join, kJoinFields},
    OriginRow{"places", "", pipeline::OriginKind::ExpertPlaces, kPlacesFields},
    OriginRow{"index", "", pipeline::OriginKind::Index, kIndexFields},
    OriginRow{"file", "", pipeline::OriginKind::File, kFileFields},
    OriginRow{"checkpoint", "", pipeline::OriginKind::Checkpoint, kCheckpointFields},
};

}  // namespace tessera::config
