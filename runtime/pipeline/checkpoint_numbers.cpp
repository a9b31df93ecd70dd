// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/checkpoint_numbers.hpp"

#include <algorithm>
#include <string>

#include "runtime/pipeline/stored_numbers.hpp"
#include "tessera/errors.hpp"

namespace tessera::pipeline {
namespace {

std::string name_at(std::string pattern, std::uint32_t index) {
    const std::size_t star = pattern.find('*');
    return star == std::string::npos ? pattern : pattern.replace(star, 1, std::to_string(index));
}

// The tensor has one element, so its shape does not give the number of indices: the first index
// without a tensor ends the list. Index 0 is required, so that a misspelt name is an error.
float largest_number(const Checkpoint& files, const TensorOrigin& origin) {
    float largest = 0;
    for (const std::string& pattern : origin.tensors) {
        largest = std::max(largest, read_number(files.at(name_at(pattern, 0)), origin.inverse));
        for (std::uint32_t index = 1; pattern.find('*') != std::string::npos; ++index) {
            const CheckpointEntry entry = files.find(name_at(pattern, index));
            if (entry.tensor == nullptr) {
                break;
            }
            largest = std::max(largest, read_number(entry, origin.inverse));
        }
    }
    return largest;
}

float number_of_index(const Checkpoint& files, const TensorOrigin& origin, std::uint32_t index) {
    const std::string first = name_at(origin.tensors.front(), index);
    const float number = read_number(files.at(first), origin.inverse);
    // Matrices of one expert become rows of one matrix, which has one number: with two numbers, one
    // of the stored matrices would have the wrong scale.
    for (const std::string& pattern : origin.tensors) {
        const CheckpointEntry entry = files.at(name_at(pattern, index));
        const float other = read_number(entry, origin.inverse);
        require(other == number,
                "{}: {} gives {}, and {} gives {}; allowed: one number for the rows of a matrix; "
                "--set params.quantisation=none converts each by its own",
                entry.file, entry.tensor->name, other, first, number);
    }
    return number;
}

}  // namespace

float read_number(const CheckpointEntry& entry, bool is_divisor) {
    const StoredTensor& found = *entry.tensor;
    require(is_plain(found.dtype) && num_elements(found.shape) == 1,
            "{}: {}: {} {}, allowed: one number of F32, BF16 or F16", entry.file, found.name,
            tessera::name_of(found.dtype), to_string(found.shape));
    const float number = number_at(found, 0);
    return is_divisor ? 1.F / number : number;
}

bool takes_numbers(const PipelineTensor& tensor) {
    return tensor.spec.shape.size() == 1 &&
           (tensor.origin.largest ||
            std::ranges::any_of(tensor.origin.tensors, [](const std::string& name) {
                return name.find('*') != std::string::npos;
            }));
}

HostTensor read_numbers(const Checkpoint& files, const PipelineTensor& tensor) {
    const TensorOrigin& origin = tensor.origin;
    require(tensor.spec.format == DataFormat::Float32 && !origin.tensors.empty() &&
                (!origin.largest || tensor.spec.shape.front() == 1),
            "tensors.{}.origin: is {} {}; allowed for numbers: float32, one element with `largest`",
            tensor.name, to_string(tensor.spec.shape), name_of(tensor.spec.format));
    HostTensor numbers = make_host_tensor(tensor.spec.shape, DataFormat::Float32);
    const auto out = numbers.as<float>();
    for (std::uint32_t index = 0; index < out.size(); ++index) {
        out[index] =
            origin.largest ? largest_number(files, origin) : number_of_index(files, origin, index);
    }
    return numbers;
}

}  // namespace tessera::pipeline
