// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/alike_devices.hpp"

#include <algorithm>
#include <numeric>

#include "emu/tile/format/integer.hpp"

namespace tessera::pipeline {
namespace {

/// Larger tensors, such as weights in int8, take longer to compare than kernels take to run.
constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 20U;

bool is_large(const DeviceTensor& tensor) {
    return std::uint64_t{tensor.buffer.num_pages} * tensor.buffer.aligned_page_size > kMostBytes;
}

// A program that sends data must run on its device: copy_results() copies only what it writes
// there.
bool is_equal(const DeviceProgram& first, const DeviceProgram& second) {
    return first.is_alone && second.is_alone && first.host_reads == second.host_reads &&
           first.program == second.program;
}

}  // namespace

void SteeringBytes::add(const std::string& name, const DeviceTensor& tensor) {
    if (tile::is_integer_format(tensor.spec.format) ||
        std::ranges::find(steering_, name) != steering_.end()) {
        tensors_[tensor.buffer.device].push_back(tensor);
        are_small_ = are_small_ && !is_large(tensor);
    }
}

void SteeringBytes::add(const PipelineStep& step, std::span<const PlacedStep> groups) {
    for (std::size_t g = 0; g < groups.size(); ++g) {
        for (std::size_t i = 0; i < groups[g].inputs.size(); ++i) {
            for (const DeviceTensor& tensor : groups[g].inputs[i]) {
                add(step.inputs[i], tensor);
            }
        }
        // A kernel may leave a part of an output unchanged. The result then depends on the bytes
        // that the output had.
        for (std::size_t i = 0; i < groups[g].outputs.size(); ++i) {
            for (const DeviceTensor& tensor : groups[g].outputs[i]) {
                add(i < step.outputs.size() ? step.outputs[i].name : std::string(), tensor);
            }
        }
    }
}

bool SteeringBytes::holds_same(std::uint32_t first, std::uint32_t second,
                               const EmulatedSession& session) const {
    const auto of = tensors_.find(first);
    const auto others = tensors_.find(second);
    if (of == tensors_.end() || others == tensors_.end()) {
        return of == others;
    }
    return std::ranges::equal(of->second, others->second,
                              [&](const DeviceTensor& tensor, const DeviceTensor& other) {
                                  return session.holds_same(tensor, other);
                              });
}

std::vector<std::size_t> SteeringBytes::alike(std::span<const DeviceProgram> programs,
                                              const EmulatedSession& session) const {
    std::vector<std::size_t> alike(programs.size());
    std::iota(alike.begin(), alike.end(), std::size_t{0});
    for (std::size_t i = 0; are_small_ && i < programs.size(); ++i) {
        for (std::size_t first = 0; first < i; ++first) {
            const bool is_first = alike[first] == first;
            if (is_first && programs[first].device < programs[i].device &&
                is_equal(programs[first], programs[i]) &&
                holds_same(programs[first].device, programs[i].device, session)) {
                alike[i] = first;
                break;
            }
        }
    }
    return alike;
}

void SteeringBytes::copy_results(std::span<const DeviceProgram> programs,
                                 std::span<const std::size_t> alike,
                                 EmulatedSession& session) const {
    for (std::size_t i = 0; i < alike.size(); ++i) {
        const auto to = tensors_.find(programs[i].device);
        if (alike[i] == i || to == tensors_.end()) {
            continue;
        }
        const auto& from = tensors_.at(programs[alike[i]].device);
        for (std::size_t t = 0; t < from.size(); ++t) {
            session.copy(from[t], to->second[t]);
        }
    }
}

}  // namespace tessera::pipeline
