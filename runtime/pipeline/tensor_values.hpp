// SPDX-License-Identifier: Apache-2.0
// Values of a run's input tensors: drawn from the seed, or read from a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "emu/base/tensor_file/safetensors.hpp"
#include "runtime/config/override.hpp"
#include "runtime/pipeline/checkpoint_values.hpp"
#include "runtime/report/run_record.hpp"
#include "runtime/steps/pipeline_spec.hpp"
#include "tessera/tensor.hpp"

namespace tessera::pipeline {

/// File of `--inputs`. Its tensors replace those of the run file with the same names. It must have
/// all tensors that would be drawn.
using InputFile = std::shared_ptr<const SafetensorsFile>;

/// Returns the params that follow from the shapes of the file's tensors. Names of tensors may use
/// params, whose values `sets` change.
/// Errors   as SafetensorsFile, and ConfigError of the run file.
[[nodiscard]] std::vector<config::Override> params_of(
    const InputFile& inputs, const std::filesystem::path& run_file,
    std::span<const std::filesystem::path> folders, std::span<const config::Override> sets = {});

/// Values of input tensors, one device at a time: the weights of all devices need not exist on the
/// host together. Values are functions of the seed and the tensor's name. Values of a split tensor
/// do not depend on the device that holds them.
class TensorValues {
public:
    /// Checks names, shapes and dtypes of all files. A tensor of `inputs` replaces the tensor of
    /// that name in the run file, whatever its origin.
    /// Errors   UsageError naming file, tensor, the value found and what is allowed.
    TensorValues(const PipelineSpec& pipeline, std::uint32_t devices, InputFile inputs,
                 InputFile state);

    /// Returns the part of a tensor that `device` holds, in row-major order.
    [[nodiscard]] HostTensor on(const PipelineTensor& tensor, std::uint32_t device) const;
    /// Returns whether a file holds the bytes of the tensor's pages.
    [[nodiscard]] bool is_packed(const PipelineTensor& tensor) const;
    /// Returns these bytes, (pages, bytes of a page).
    /// Precondition   is_packed(tensor).
    [[nodiscard]] HostTensor pages(const PipelineTensor& tensor, std::uint32_t device) const;
    /// Returns the counts of NaN in the tensors that steps read from files.
    [[nodiscard]] std::vector<report::NanNote> nans() const;
    /// Returns the names in the file of inputs that no step of the run reads.
    [[nodiscard]] std::vector<std::string> unread_inputs() const;
    /// Returns the indices of the split axis that `device` holds, in the device's order, kPadding
    /// (axis_parts.hpp) for places without one.
    [[nodiscard]] std::vector<std::uint32_t> indices_on(const PipelineTensor& tensor,
                                                        std::uint32_t device) const;

private:
    [[nodiscard]] const SafetensorsFile* file_of(const PipelineTensor& tensor) const;
    /// Returns a tensor of the file, found by its name, or by `d<i>.NAME` if devices differ.
    [[nodiscard]] const StoredTensor& stored(const SafetensorsFile& file,
                                             const PipelineTensor& tensor,
                                             std::uint32_t device) const;
    /// Returns whether the file has a tensor under one of these names.
    [[nodiscard]] static bool has(const SafetensorsFile& file, const PipelineTensor& tensor);
    void check_stored(const PipelineTensor& tensor) const;
    /// Opens the file of an origin `file:`.
    void open_origin(const PipelineTensor& tensor);
    /// Opens the files of a tensor that comes from a model, and finds its parts.
    void open_checkpoint(const PipelineTensor& tensor);
    /// Returns the values of a tensor that comes from a model; null if it does not.
    [[nodiscard]] const CheckpointValues* checkpoint_of(const PipelineTensor& tensor) const;
    /// Refuses names in the file of inputs that are likely typing errors of tensors' names.
    void check_names() const;
    [[nodiscard]] HostTensor whole(const PipelineTensor& tensor, std::uint32_t device) const;
    /// Returns the values of a packed tensor.
    [[nodiscard]] HostTensor unpacked(const PipelineTensor& tensor, std::uint32_t device) const;
    [[nodiscard]] HostTensor joined(const PipelineTensor& tensor, std::uint32_t device) const;
    [[nodiscard]] HostTensor places(const PipelineTensor& tensor) const;
    [[nodiscard]] HostTensor part(const PipelineTensor& tensor, std::uint32_t device) const;
    [[nodiscard]] HostTensor leading_part(const PipelineTensor& tensor,
                                          std::span<const std::uint32_t> indices) const;

    const PipelineSpec& pipeline_;
    std::uint32_t devices_;
    InputFile inputs_;
    InputFile state_;
    std::map<std::string, InputFile> files_;                                      ///< of origins
    std::map<std::string, std::shared_ptr<const Checkpoint>> checkpoints_;        ///< of origins
    std::map<std::string, std::shared_ptr<const CheckpointValues>> from_models_;  ///< by tensor
};

}  // namespace tessera::pipeline
