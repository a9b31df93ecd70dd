// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/output_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "tessera/tensor_compare.hpp"

namespace tessera::run {
namespace {

std::string place_of(std::size_t device, const Shape& shape, std::size_t index) {
    return fmt::format("output of device {} at {}", device, position_in(shape, index));
}

report::StepCheck check_bytes(std::span<const CheckedOutput> outputs) {
    report::StepCheck check;
    for (std::size_t device = 0; device < outputs.size() && check.passed(); ++device) {
        const auto& [test, reference] = outputs[device];
        check.num_elements += num_elements(test.shape);
        const auto [differs, other] = std::ranges::mismatch(test.bytes, reference.bytes);
        if (differs != test.bytes.end()) {
            const auto byte = static_cast<std::size_t>(differs - test.bytes.begin());
            check.pcc = 0;
            check.failure = place_of(device, test.shape, byte / element_bytes(test.format)) +
                            " is not what the reference has";
        }
    }
    return check;
}

std::string failure_of(const Closeness& closeness, std::span<const CheckedOutput> outputs,
                       const VerifySpec& verify) {
    if (!closeness.first_beyond) {
        return fmt::format("PCC {:.6f} is below {:.6f}", closeness.pcc, verify.min_pcc);
    }
    const ComparedPair& pair = *closeness.first_beyond;
    return fmt::format(
        "largest relative error {:.3g}, allowed {:.3g}; first beyond: {}: {} against {}",
        closeness.max_rel_err, verify.max_relative_error,
        place_of(pair.part, outputs[pair.part].test.shape, pair.index), pair.test, pair.reference);
}

report::StepCheck check_closeness(std::span<const CheckedOutput> outputs,
                                  const VerifySpec& verify) {
    std::vector<ComparedPart> parts;
    for (const CheckedOutput& output : outputs) {
        parts.push_back({output.test, output.reference});
    }
    const CloseTolerance tolerance{verify.min_pcc, verify.max_relative_error};
    const Closeness closeness = compare_close(parts, tolerance);
    report::StepCheck check{closeness.num_elements, closeness.pcc, closeness.max_rel_err, ""};
    if (!closeness.passes(tolerance)) {
        check.failure = failure_of(closeness, outputs, verify);
    }
    return check;
}

}  // namespace

report::StepCheck check_outputs(std::span<const CheckedOutput> outputs, const ops::OpSpec& op,
                                const VerifySpec& verify) {
    const bool is_exact = op.tolerance.max_relative_error == 0;
    return is_exact ? check_bytes(outputs) : check_closeness(outputs, verify);
}

}  // namespace tessera::run
