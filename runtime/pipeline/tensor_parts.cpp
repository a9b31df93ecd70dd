// SPDX-License-Identifier: Apache-2.0
// The part of a split tensor that a device holds.
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstring>

#include "emu/base/counted_random.hpp"
#include "emu/base/random_tensor.hpp"
#include "runtime/pipeline/axis_parts.hpp"
#include "runtime/pipeline/origin_values.hpp"
#include "runtime/pipeline/tensor_values.hpp"
#include "tessera/errors.hpp"

namespace tessera::pipeline {

namespace {

/// Returns the indices to which a device's map gives the positions from 0, then kPadding for the
/// other `slots`.
std::vector<std::uint32_t> indices_in_map(const HostTensor& map, std::uint32_t slots,
                                          const PipelineTensor& tensor, std::uint32_t device) {
    const auto places = map.as<std::int32_t>();
    const auto held = static_cast<std::uint32_t>(
        places.size() - static_cast<std::size_t>(std::ranges::count(places, -1)));
    require(held <= slots, "tensors.{}.split.by: {} of device {} has {} places; allowed: {}",
            tensor.name, tensor.split_by, device, held, slots);
    // Only a split with an extent has slots without an index.
    const std::uint32_t count = tensor.split_extent == 0 ? slots : held;
    std::vector<std::uint32_t> indices(slots, kPadding);
    for (std::uint32_t place = 0; place < count; ++place) {
        const auto found = std::ranges::find(places, static_cast<std::int32_t>(place));
        require(found != places.end(),
                "tensors.{}.split.by: {} of device {} has no {}; allowed: 0 to {}", tensor.name,
                tensor.split_by, device, place, count - 1);
        indices[place] = static_cast<std::uint32_t>(found - places.begin());
    }
    return indices;
}

}  // namespace

std::vector<std::uint32_t> TensorValues::indices_on(const PipelineTensor& tensor,
                                                    std::uint32_t device) const {
    const std::uint32_t extent = tensor.spec.shape[tensor.split_axis];
    const std::uint32_t parts = num_parts(tensor, devices_);
    const std::uint32_t each = tensor.split_extent != 0 ? tensor.split_extent : extent / parts;
    const std::uint32_t own = part_on(tensor, device);
    std::vector<std::uint32_t> indices(each);
    if (tensor.split_by.empty()) {
        for (std::uint32_t i = 0; i < each; ++i) {
            indices[i] = own * each + i;
        }
        return indices;
    }
    // The split follows the values of another tensor, such as an expert map, so weights are on the
    // device that the router sends tokens to.
    const HostTensor mapping = whole(*find_tensor(pipeline_, tensor.split_by), device);
    if (mapping.format == DataFormat::Int32 && mapping.shape == Shape{extent}) {
        return indices_in_map(mapping, each, tensor, device);
    }
    require(mapping.format == DataFormat::Int32 && mapping.shape == Shape{parts, each},
            "tensors.{}.split.by: {} is {} {}; allowed: ({},{}) int32", tensor.name,
            tensor.split_by, to_string(mapping.shape), name_of(mapping.format), parts, each);
    for (std::uint32_t i = 0; i < each; ++i) {
        const std::int32_t index = mapping.as<std::int32_t>()[std::size_t{own} * each + i];
        // Devices that do not divide the experts have slots without one; only a split with an
        // extent allows them.
        if (tensor.split_extent != 0 && index == -1) {
            indices[i] = kPadding;
            continue;
        }
        require(index >= 0 && static_cast<std::uint32_t>(index) < extent,
                "{}({},{}) is {}; allowed: 0 to {}", tensor.split_by, own, i, index, extent - 1);
        indices[i] = static_cast<std::uint32_t>(index);
    }
    return indices;
}

// Draws or reads only the indices of the first axis that the device holds. The experts of one
// device of 32 are a small part of a tensor that would not fit in the host's memory as a whole.
HostTensor TensorValues::leading_part(const PipelineTensor& tensor,
                                      std::span<const std::uint32_t> indices) const {
    const Shape& shape = tensor.spec.shape;
    Shape own = shape;
    own[0] = static_cast<std::uint32_t>(indices.size());
    HostTensor part = make_host_tensor(own, DataFormat::Float16_b);
    const std::uint64_t elements = num_elements(shape) / shape[0];
    const SafetensorsFile* file = file_of(tensor);
    const NormalSequence sequence{.seed = seed_for(pipeline_.seed, tensor.name),
                                  .stddev = stddev_of(tensor.origin)};
    const auto out = part.as<std::uint16_t>();
    tbb::parallel_for(std::size_t{0}, indices.size(), [&](std::size_t i) {
        if (indices[i] == kPadding) {
            return;  // zeros
        }
        const auto slice = out.subspan(i * elements, elements);
        if (file != nullptr) {
            const std::byte* bytes = stored(*file, tensor, 0).bytes.data();
            std::memcpy(slice.data(), bytes + indices[i] * elements * 2, elements * 2);
        } else {
            fill_normal_bf16(slice, indices[i] * elements, sequence);
        }
    });
    return part;
}

HostTensor TensorValues::part(const PipelineTensor& tensor, std::uint32_t device) const {
    const std::vector<std::uint32_t> indices = indices_on(tensor, device);
    // Values of these origins can start at any element: a file is mapped, and normal numbers are
    // functions of seed and index.
    const bool is_lean = tensor.split_axis == 0 && tensor.spec.format == DataFormat::Float16_b &&
                         tensor.origin.domain == Domain::All &&
                         (file_of(tensor) != nullptr || tensor.origin.kind == OriginKind::Normal);
    const CheckpointValues* model = checkpoint_of(tensor);
    const bool is_by_expert =
        model != nullptr && tensor.split_axis == 0 && tensor.spec.shape.size() == 3;
    HostTensor part = is_by_expert ? model->slices(indices)
                      : is_lean    ? leading_part(tensor, indices)
                                   : take_part(whole(tensor, device), tensor.split_axis, indices);
    if (tensor.drops_axis) {
        part.shape.erase(part.shape.begin() + tensor.split_axis);
    }
    return part;
}

}  // namespace tessera::pipeline
