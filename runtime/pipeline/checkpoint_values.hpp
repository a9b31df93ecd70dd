// SPDX-License-Identifier: Apache-2.0
// Tensors whose values come from the files of a model, under the model's own names.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emu/base/tensor_file/checkpoint.hpp"
#include "runtime/report/run_record.hpp"
#include "runtime/steps/pipeline_spec.hpp"
#include "tessera/tensor.hpp"

namespace tessera::pipeline {

/// One tensor of a run, as OriginKind::Checkpoint describes it. Each index of the first of three
/// axes is a matrix that consists of the matrices of `origin.tensors`, one below the other. A name
/// with `*` names one stored matrix per index; a name without it names a stored stack of all
/// indices.
///
/// Stored numbers are BF16, F16 or F32; or F8_E4M3 with scales in NAME_scale_inv or NAME_scale, a
/// scale for each 128 × 128 block, each row or the whole; or MXFP4 in NAME_blocks and NAME_scales;
/// or NVFP4 in NAME, NAME_scale and NAME_scale_2 or in NAME_packed, NAME_scale and
/// NAME_global_scale. They are converted to the format of the tensor, bfloat16 or float32. A tensor
/// of fp8_e4m3 or uint8 takes the codes as they are stored, F8_E4M3 or U8; the last two axes of
/// blocks of MXFP4 are one. checkpoint_numbers.hpp has tensors of single numbers.
class CheckpointValues {
public:
    /// Finds all stored tensors and checks them. Files and tensor outlive the object.
    /// Errors   UsageError with the file, the name, the value found and what is allowed.
    CheckpointValues(const Checkpoint& files, const PipelineTensor& tensor);

    /// Returns the tensor's slices at `indices` of the first axis; those of kPadding are zeros.
    /// Precondition   the tensor has three axes.
    [[nodiscard]] HostTensor slices(std::span<const std::uint32_t> indices) const;
    /// Returns the whole tensor.
    [[nodiscard]] HostTensor all() const;
    /// Counts the NaN of all stored tensors, scales among them. The note names the first stored one
    /// that has any.
    [[nodiscard]] report::NanNote nans() const;

private:
    enum class Coding : std::uint8_t { Plain, Scaled, Mxfp4, Nvfp4, Kept };

    /// Stored matrices of one name of the origin.
    struct Part {
        std::vector<CheckpointEntry> matrices;  ///< one for each index, or one stack
        std::vector<CheckpointEntry> scales;    ///< likewise; empty if Plain
        std::vector<float> factors = {};        ///< of Nvfp4, likewise
        Coding coding = Coding::Plain;
    };

    [[nodiscard]] Part find_part(const std::string& pattern) const;
    void add_matrix(const std::string& name, Part& part) const;
    /// Adds a matrix of NVFP4 if the files have one of that name.
    [[nodiscard]] bool add_nvfp4(const std::string& name, Part& part) const;
    void check_matrix(const CheckpointEntry& entry, const Part& part) const;
    void check_kept(const CheckpointEntry& entry) const;
    void check_scales(const CheckpointEntry& entry, const Part& part) const;
    [[nodiscard]] Shape stored_shape(const Part& part) const;
    /// Writes the matrix of an index as float32, rows and columns as the tensor has them.
    void read_matrix(const Part& part, std::uint32_t index, std::span<float> out) const;
    void copy_codes(const Part& part, std::uint32_t index, std::span<std::byte> out) const;
    void write_slice(std::uint32_t index, std::span<std::byte> out) const;

    const Checkpoint& files_;
    const PipelineTensor& tensor_;
    std::uint32_t count_ = 1;  ///< matrices
    std::uint32_t rows_ = 1;   ///< rows of a part
    std::uint32_t columns_ = 1;
    std::vector<Part> parts_;
    std::optional<HostTensor> numbers_;  ///< the whole tensor, if it takes single numbers
};

}  // namespace tessera::pipeline
