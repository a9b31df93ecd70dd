// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/stored_dtypes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "runtime/session/page_codec.hpp"
#include "tessera/errors.hpp"

namespace tessera::pipeline {
namespace {

/// Codes of 4 bits have the even column in the low half, in files as in tensors of a run.
HostTensor bytes_of(const StoredTensor& stored) {
    return {shape_in_run(stored), DataFormat::UInt8, {stored.bytes.begin(), stored.bytes.end()}};
}

/// Returns numbers up to 127, which bfp8_b stores exactly for any block. −128 is refused: its block
/// would round odd numbers.
HostTensor int8_numbers(const StoredTensor& stored) {
    HostTensor numbers = make_host_tensor(stored.shape, DataFormat::Float32);
    const auto out = numbers.as<float>();
    for (std::size_t i = 0; i < out.size(); ++i) {
        const auto code = static_cast<std::int8_t>(stored.bytes[i]);
        require(code != -128, "{}: element {} is -128; allowed in bfp8_b: -127 to 127", stored.name,
                i);
        out[i] = code;
    }
    return numbers;
}

constexpr std::array kOtherDtypes{
    OtherDtype{DataFormat::UInt8, Dtype::F8_E8M0, bytes_of},
    OtherDtype{DataFormat::UInt8, Dtype::F4, bytes_of},
    OtherDtype{DataFormat::Bfp8_b, Dtype::I8, int8_numbers},
};

}  // namespace

Shape shape_in_run(const StoredTensor& stored) {
    Shape shape = stored.shape;
    if (stored.dtype == Dtype::F4 && !shape.empty()) {
        shape.back() /= 2;
    }
    return shape;
}

const OtherDtype* other_dtype(DataFormat format, Dtype dtype) {
    const auto found = std::ranges::find_if(kOtherDtypes, [&](const OtherDtype& row) {
        return row.format == format && row.dtype == dtype;
    });
    return found == kOtherDtypes.end() ? nullptr : &*found;
}

std::string allowed_dtypes(DataFormat format) {
    std::string names = name_of(dtype_of(host_format(format)));
    for (const OtherDtype& row : kOtherDtypes) {
        if (row.format == format) {
            names += fmt::format(" or {}", name_of(row.dtype));
        }
    }
    return names;
}

}  // namespace tessera::pipeline
