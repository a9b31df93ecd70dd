// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/kept_tensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "emu/base/tensor_file/dtype.hpp"
#include "runtime/config/load.hpp"
#include "runtime/pipeline/axis_parts.hpp"
#include "runtime/pipeline/raw_pages.hpp"
#include "runtime/session/page_codec.hpp"

namespace tessera::pipeline {
namespace {

/// Files hold the host's formats: block formats have no dtype in safetensors.
TensorDeclaration declaration(std::string name, const TensorSpec& spec) {
    return {std::move(name), dtype_of(host_format(spec.format)), spec.shape};
}

/// Returns the shape in the file: of one device's tensor, or of the joined or stacked group.
Shape shape_in_file(const FileOutput& output, Shape shape, std::size_t devices) {
    const auto count = static_cast<std::uint32_t>(devices);
    if (output.join == FileJoin::Stack) {
        shape.insert(shape.begin(), count);
    } else {
        shape[0] *= count;
    }
    if (output.rows != 0) {
        shape[0] = std::min(output.rows, shape[0]);
    }
    return shape;
}

/// Returns the form in which one device's tensor is stored.
TensorSpec spec_in_file(const FileOutput& output, const TensorSpec& spec) {
    return output.is_packed ? TensorSpec{page_shape(spec), DataFormat::UInt8, Layout::ROW_MAJOR}
                            : spec;
}

std::vector<std::byte> bytes_in_file(const FileOutput& output,
                                     std::span<const std::uint32_t> devices,
                                     const PlacedTensors& tensors, const Session& session) {
    std::vector<std::byte> bytes;
    for (const std::uint32_t device : devices) {
        // Parts follow each other in the order of the group.
        const DeviceTensor& tensor = tensors.on(device, output.tensor);
        const HostTensor values = session.read(output.is_packed ? raw_pages(tensor) : tensor);
        bytes.insert(bytes.end(), values.bytes.begin(), values.bytes.end());
    }
    // `rows` keeps the first indices of the first axis, which are the first bytes.
    const TensorSpec own = spec_in_file(output, tensors.on(devices.front(), output.tensor).spec);
    const Shape all = shape_in_file({.join = output.join}, own.shape, devices.size());
    const Shape kept = shape_in_file(output, own.shape, devices.size());
    bytes.resize(bytes.size() / all[0] * kept[0]);
    return bytes;
}

/// Returns whether a later step overwrites the output. The file contains only the last value,
/// because a safetensors file has each name once.
bool is_written_after(const PipelineSpec& pipeline, const PipelineStep& step,
                      const std::string& name) {
    const auto* const end = pipeline.steps.data() + pipeline.steps.size();
    return std::any_of(&step + 1, end, [&](const PipelineStep& later) {
        return std::ranges::find(later.outputs, name, &StepOutput::name) != later.outputs.end();
    });
}

/// Returns whether --state needs the tensor. A persistent tensor that no step reads is neither
/// required nor written.
bool is_kept(const PipelineSpec& pipeline, const PipelineTensor& tensor) {
    return tensor.persistent && is_read_from(pipeline, tensor.name, 0);
}

/// Assembles a split tensor from all devices, so that a later run can split it in another way.
HostTensor assemble(const PipelineTensor& tensor, const PlacedTensors& tensors,
                    const TensorValues& values, const Session& session) {
    // Replicas in several groups write equal parts.
    HostTensor whole = make_host_tensor(tensor.spec.shape, host_format(tensor.spec.format));
    for (std::uint32_t device = 0; device < tensors.num_devices(); ++device) {
        write_part(session.read(tensors.on(device, tensor.name)), tensor.split_axis,
                   values.indices_on(tensor, device), whole);
    }
    return whole;
}

}  // namespace

std::vector<TensorDeclaration> output_tensors(const config::LoadedRun& loaded) {
    const PipelineSpec& pipeline = loaded.pipeline;
    const std::uint32_t num_devices = loaded.run.mesh.shape.num_devices();
    std::vector<TensorDeclaration> tensors;
    std::set<std::string> declared;
    const auto declare = [&](const PipelineStep& step, std::size_t output) {
        for (const auto& [name, devices, entry] :
             stored_outputs(pipeline, step, output, num_devices)) {
            TensorSpec spec = spec_in_file(*entry, step.output_plans[output].spec);
            spec.shape = shape_in_file(*entry, spec.shape, devices.size());
            // A repeated step may write one tensor several times; the file has it once.
            if (declared.insert(name).second) {
                tensors.push_back(declaration(name, spec));
            }
        }
    };
    for (const PipelineStep& step : pipeline.steps) {
        for (std::size_t i = 0; i < step.outputs.size(); ++i) {
            declare(step, i);
        }
    }
    return tensors;
}

std::vector<TensorDeclaration> state_tensors(const config::LoadedRun& loaded) {
    std::vector<TensorDeclaration> tensors;
    for (const PipelineTensor& tensor : loaded.pipeline.tensors) {
        if (!is_kept(loaded.pipeline, tensor)) {
            continue;
        }
        if (tensor.distribution != Distribution::Each) {
            tensors.push_back(declaration(tensor.name, tensor.spec));
            continue;
        }
        for (std::uint32_t device = 0; device < loaded.run.mesh.shape.num_devices(); ++device) {
            tensors.push_back(declaration(own_name(device, tensor.name), tensor.spec));
        }
    }
    return tensors;
}

void write_outputs(const PipelineSpec& pipeline, const PipelineStep& step,
                   const PlacedTensors& tensors, const Session& session, SafetensorsWriter& file) {
    for (std::size_t i = 0; i < step.outputs.size(); ++i) {
        if (is_written_after(pipeline, step, step.outputs[i].name)) {
            continue;
        }
        for (const auto& [name, devices, entry] :
             stored_outputs(pipeline, step, i, tensors.num_devices())) {
            file.append(name, bytes_in_file(*entry, devices, tensors, session));
        }
    }
}

void write_state(const PipelineSpec& pipeline, const PlacedTensors& tensors,
                 const TensorValues& values, const Session& session, SafetensorsWriter& file) {
    for (const PipelineTensor& tensor : pipeline.tensors) {
        if (!is_kept(pipeline, tensor)) {
            continue;
        }
        // Replicas hold the same bytes, so that the first device is read.
        if (tensor.distribution == Distribution::Replicated) {
            file.append(tensor.name, session.read(tensors.on(0, tensor.name)).bytes);
        } else if (tensor.distribution == Distribution::Split) {
            file.append(tensor.name, assemble(tensor, tensors, values, session).bytes);
        } else {
            for (std::uint32_t device = 0; device < tensors.num_devices(); ++device) {
                file.append(own_name(device, tensor.name),
                            session.read(tensors.on(device, tensor.name)).bytes);
            }
        }
    }
}

}  // namespace tessera::pipeline
