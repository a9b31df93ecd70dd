// SPDX-License-Identifier: Apache-2.0
// Values of the tensors that a run starts from: drawn from the seed, or read from a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "emu/base/tensor_file/safetensors.hpp"
#include "runtime/config/load.hpp"
#include "runtime/report/run_record.hpp"
#include "runtime/steps/pipeline_spec.hpp"
#include "tessera/tensor.hpp"

namespace tessera::pipeline {

/// The file of `--inputs`: its tensors take the place of the run file's, under the same names. It
/// must have those that would be drawn.
using InputFile = std::shared_ptr<const SafetensorsFile>;

/// The params that the extents of the file's tensors stand for.
/// Errors   as SafetensorsFile, and ConfigError of the run file.
[[nodiscard]] std::vector<config::Override> params_of(const InputFile& inputs,
                                                      const std::filesystem::path& run_file,
                                                      config::ConfigFolders folders);

/// The tensors' values, device by device: all devices' weights together need not exist on the host.
/// Values are functions of the seed and the tensor's name; those of a split tensor do not depend on
/// which device holds them.
class TensorValues {
public:
    /// Checks names, shapes and dtypes of all files. A tensor of `inputs` takes the place of the
    /// run file's of that name, whatever its origin is. Errors   UsageError naming file, tensor,
    /// what was found and what is allowed.
    TensorValues(const PipelineSpec& pipeline, std::uint32_t devices, InputFile inputs,
                 InputFile state);

    /// What `device` holds of a tensor, without its layout.
    [[nodiscard]] HostTensor on(const PipelineTensor& tensor, std::uint32_t device) const;
    /// NaN of the tensors that steps read from files.
    [[nodiscard]] std::vector<report::NanNote> nans() const;
    /// Names of the file of inputs that no step of the run reads.
    [[nodiscard]] std::vector<std::string> unread_inputs() const;
    /// Indices of the split axis that `device` holds, in their order there.
    [[nodiscard]] std::vector<std::uint32_t> indices_on(const PipelineTensor& tensor,
                                                        std::uint32_t device) const;

private:
    [[nodiscard]] const SafetensorsFile* file_of(const PipelineTensor& tensor) const;
    /// What the file has of a tensor, under its name or, of a device's own, `d<i>.NAME`.
    [[nodiscard]] const StoredTensor& stored(const SafetensorsFile& file,
                                             const PipelineTensor& tensor,
                                             std::uint32_t device) const;
    /// Whether the file has a tensor, under one of these names.
    [[nodiscard]] static bool has(const SafetensorsFile& file, const PipelineTensor& tensor);
    void check_stored(const PipelineTensor& tensor) const;
    /// Refuses names in the file of inputs that are nearly those of tensors.
    void check_names() const;
    [[nodiscard]] HostTensor whole(const PipelineTensor& tensor, std::uint32_t device) const;
    [[nodiscard]] HostTensor joined(const PipelineTensor& tensor, std::uint32_t device) const;
    [[nodiscard]] HostTensor part(const PipelineTensor& tensor, std::uint32_t device) const;
    [[nodiscard]] HostTensor leading_part(const PipelineTensor& tensor,
                                          std::span<const std::uint32_t> indices) const;

    const PipelineSpec& pipeline_;
    std::uint32_t devices_;
    InputFile inputs_;
    InputFile state_;
    std::map<std::string, InputFile> files_;  ///< of origins
};

}  // namespace tessera::pipeline
