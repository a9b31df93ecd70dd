// SPDX-License-Identifier: Apache-2.0
// Dtypes of files that tensors of a run are read from, though no format of a tensor has their name.
#pragma once

#include <string>

#include "emu/base/tensor_file/dtype.hpp"
#include "emu/base/tensor_file/safetensors.hpp"
#include "tessera/tensor.hpp"

namespace tessera::pipeline {

/// Returns the shape of a stored tensor as tensors of a run have it: two codes of 4 bits are a
/// byte.
[[nodiscard]] Shape shape_in_run(const StoredTensor& stored);

/// A dtype of files that a format holds exactly, though no format has its name.
struct OtherDtype {
    DataFormat format;
    Dtype dtype;
    HostTensor (*read)(const StoredTensor& stored);
};

/// Returns the row of a format and a dtype of a file; nullptr if there is none.
[[nodiscard]] const OtherDtype* other_dtype(DataFormat format, Dtype dtype);

/// Returns the dtypes that a tensor of that format is read from.
[[nodiscard]] std::string allowed_dtypes(DataFormat format);

}  // namespace tessera::pipeline
