// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/kept_tensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "emu/base/tensor_file/dtype.hpp"
#include "runtime/session/page_codec.hpp"

namespace tessera::pipeline {
namespace {

/// Whether a file of outputs holds a step's output once, under its own name: every device of the
/// mesh holds the same bytes of it, or there is but one.
bool is_stored_once(const PipelineSpec& pipeline, const PipelineStep& step, std::size_t output,
                    std::uint32_t devices) {
    if (devices == 1 && pipeline.has_plain_names) {
        return true;
    }
    return step.op->spec.outputs[output].replicas == ops::Replicas::Same &&
           step.groups.size() == 1 && step.groups.front().size() == devices;
}

TensorDeclaration declaration(std::string name, const TensorSpec& spec) {
    return {std::move(name), dtype_of(host_format(spec.format)), spec.shape};
}

/// The names under which devices' tensors go into a file of outputs, with the devices.
std::vector<std::pair<std::string, std::uint32_t>> names_in_file(const PipelineSpec& pipeline,
                                                                 const PipelineStep& step,
                                                                 std::size_t index,
                                                                 const FileOutput& output,
                                                                 std::uint32_t num_devices) {
    if (output.name.empty() && is_stored_once(pipeline, step, index, num_devices)) {
        return {{output.tensor, 0}};
    }
    if (!output.name.empty() && name_on(output.name, 0) == output.name) {
        return {{output.name, step.groups.front().front()}};
    }
    std::vector<std::pair<std::string, std::uint32_t>> names;
    for (const auto& group : step.groups) {
        for (const std::uint32_t device : group) {
            names.emplace_back(output.name.empty() ? own_name(device, output.tensor)
                                                   : name_on(output.name, device),
                               device);
        }
    }
    return names;
}

std::uint32_t rows_in_file(const FileOutput& output, const Shape& shape) {
    return output.rows == 0 ? shape[0] : std::min(output.rows, shape[0]);
}

bool is_written_after(const PipelineSpec& pipeline, const PipelineStep& step,
                      const std::string& name) {
    const auto* const end = pipeline.steps.data() + pipeline.steps.size();
    return std::any_of(&step + 1, end, [&](const PipelineStep& later) {
        return std::ranges::find(later.outputs, name, &StepOutput::name) != later.outputs.end();
    });
}

bool is_kept(const PipelineSpec& pipeline, const PipelineTensor& tensor) {
    return tensor.persistent && is_read_from(pipeline, tensor.name, 0);
}

/// Writes a device's indices of the split axis to their places in the whole.
void put_part(const HostTensor& part, std::size_t axis, std::span<const std::uint32_t> indices,
              HostTensor& whole) {
    const std::size_t extent = whole.shape[axis];
    std::size_t inner = element_bytes(whole.format);
    for (std::size_t i = axis + 1; i < whole.shape.size(); ++i) {
        inner *= whole.shape[i];
    }
    const std::size_t outer = whole.bytes.size() / (extent * inner);
    const std::byte* from = part.bytes.data();
    for (std::size_t i = 0; i < outer; ++i) {
        for (const std::uint32_t index : indices) {
            std::memcpy(whole.bytes.data() + (i * extent + index) * inner, from, inner);
            from += inner;
        }
    }
}

HostTensor put_together(const PipelineTensor& tensor, const PlacedTensors& tensors,
                        const TensorValues& values, const Session& session) {
    HostTensor whole = make_host_tensor(tensor.spec.shape, host_format(tensor.spec.format));
    for (std::uint32_t device = 0; device < tensors.num_devices(); ++device) {
        put_part(session.read(tensors.on(device, tensor.name)), tensor.split_axis,
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
    for (const PipelineStep& step : pipeline.steps) {
        for (std::size_t i = 0; i < step.outputs.size(); ++i) {
            for (const FileOutput& output : pipeline.outputs) {
                if (output.tensor != step.outputs[i].name) {
                    continue;
                }
                TensorSpec spec = step.output_plans[i].spec;
                spec.shape[0] = rows_in_file(output, spec.shape);
                for (const auto& [name, device] :
                     names_in_file(pipeline, step, i, output, num_devices)) {
                    if (declared.insert(name).second) {
                        tensors.push_back(declaration(name, spec));
                    }
                }
            }
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
        for (const FileOutput& output : pipeline.outputs) {
            if (output.tensor != step.outputs[i].name) {
                continue;
            }
            for (const auto& [name, device] :
                 names_in_file(pipeline, step, i, output, tensors.num_devices())) {
                HostTensor values = session.read(tensors.on(device, output.tensor));
                values.bytes.resize(values.bytes.size() / values.shape[0] *
                                    rows_in_file(output, values.shape));
                file.append(name, values.bytes);
            }
        }
    }
}

void write_state(const PipelineSpec& pipeline, const PlacedTensors& tensors,
                 const TensorValues& values, const Session& session, SafetensorsWriter& file) {
    for (const PipelineTensor& tensor : pipeline.tensors) {
        if (!is_kept(pipeline, tensor)) {
            continue;
        }
        if (tensor.distribution == Distribution::Replicated) {
            file.append(tensor.name, session.read(tensors.on(0, tensor.name)).bytes);
        } else if (tensor.distribution == Distribution::Split) {
            file.append(tensor.name, put_together(tensor, tensors, values, session).bytes);
        } else {
            for (std::uint32_t device = 0; device < tensors.num_devices(); ++device) {
                file.append(own_name(device, tensor.name),
                            session.read(tensors.on(device, tensor.name)).bytes);
            }
        }
    }
}

}  // namespace tessera::pipeline
