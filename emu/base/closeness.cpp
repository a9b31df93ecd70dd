// SPDX-License-Identifier: Apache-2.0
// The verdict on a comparison of tensors, and the limits of formats that it depends on.
#include <fmt/format.h>

#include "tessera/errors.hpp"
#include "tessera/tensor_compare.hpp"

namespace tessera {

FormatLimits limits_of(DataFormat format) {
    switch (format) {
        case DataFormat::Float32:
            return {.largest = 0x1.fffffep127, .spacing = 0x1p-149};
        case DataFormat::Float16_b:
            return {.largest = 0x1.fep127, .spacing = 0x1p-133};
        case DataFormat::Fp8_e4m3:
            return {.largest = 448, .spacing = 0x1p-9};
        case DataFormat::Lf8:
            return {.largest = 57344, .spacing = 0x1p-16};
        case DataFormat::Bfp8_b:
            return {.largest = 0x1.fcp127, .spacing = 0x1p-133, .block_step = 0x1p-6};
        case DataFormat::Bfp4_b:
            return {.largest = 0x1.cp127, .spacing = 0x1p-129, .block_step = 0x1p-2};
        default:
            throw UsageError(
                fmt::format("{}: allowed: a format of floating-point numbers", name_of(format)));
    }
}

std::string Closeness::failure(const CloseTolerance& tolerance) const {
    if (is_void()) {
        return fmt::format("none of the {} values is finite, nothing was compared", num_elements);
    }
    if (num_nonfinite_faults != 0 || max_rel_err > tolerance.max_rel_err) {
        return fmt::format("largest relative error {:.3g}, allowed {:.3g}", max_rel_err,
                           tolerance.max_rel_err);
    }
    if (!varies) {
        return "";
    }
    if (rms_err > rms_err_allowed) {
        return fmt::format("the rms of all errors is {:.3g} of the reference's, allowed {:.3g}",
                           rms_err, rms_err_allowed);
    }
    const double least = 1 - scale_err_allowed - tolerance.max_shrinking;
    if (scale < least || scale > 1 + scale_err_allowed) {
        return fmt::format("all values are {:.6g} times the reference, allowed: {:.6g} to {:.6g}",
                           scale, least, 1 + scale_err_allowed);
    }
    // Without an allowance for outliers, the correlation is compared directly.
    const double needed = tolerance.outliers == 0 ? tolerance.pcc_min : pcc_needed;
    if (pcc < needed) {
        return fmt::format("PCC {:.6f} is below {:.6f}", pcc, needed);
    }
    return "";
}

bool Closeness::passes(const CloseTolerance& tolerance) const {
    return failure(tolerance).empty();
}

std::string position_in(const Shape& shape, std::size_t index) {
    Shape position(shape.size());
    for (std::size_t i = shape.size(); i-- > 0;) {
        position[i] = static_cast<std::uint32_t>(index % shape[i]);
        index /= shape[i];
    }
    return to_string(position);
}

}  // namespace tessera
