// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/step_verifier.hpp"

#include <fmt/format.h>

#include "ops/moe_v2/verify.hpp"
#include "runtime/pipeline/layer_reference.hpp"
#include "tessera/tensor_compare.hpp"

namespace tessera::run {
namespace {

std::string failure_of(const Closeness& closeness, const VerifySpec& verify, const Shape& shape) {
    if (closeness.pcc < verify.min_pcc) {
        return fmt::format("final: PCC {:.6f}, allowed: {} or more", closeness.pcc, verify.min_pcc);
    }
    const auto& pair = closeness.first_beyond;
    const std::string place =
        pair ? fmt::format(": final{} is {}, the reference {}", position_in(shape, pair->index),
                           pair->test, pair->reference)
             : "";
    return fmt::format("final: relative error {:.3g}, allowed: {} or less{}", closeness.max_rel_err,
                       verify.max_relative_error, place);
}

}  // namespace

report::StepCheck compare_final(std::span<const HostTensor> finals, const HostTensor& reference,
                                const VerifySpec& verify) {
    const HostTensor& first = finals.front();
    const CloseTolerance tolerance{verify.min_pcc, verify.max_relative_error};
    const Closeness closeness = compare_close(first, reference, tolerance);
    report::StepCheck check{closeness.num_elements, closeness.pcc, closeness.max_rel_err, ""};
    if (!closeness.passes(tolerance)) {
        check.failure = failure_of(closeness, verify, first.shape);
    }
    for (std::size_t device = 1; device < finals.size() && check.passed(); ++device) {
        if (finals[device].bytes != first.bytes) {
            check.failure = fmt::format("final of device {} is not that of device 0", device);
        }
    }
    return check;
}

std::optional<report::StepCheck> StepVerifier::check(const ops::moe_v2::Step& step) const {
    const bool is_last = step.plan->kind == ops::moe_v2::StepKind::AllReduce;
    switch (run_.verify.level) {
        case VerifyLevel::EveryStep:
            return check_step(step);
        case VerifyLevel::FinalOnly:
            return is_last ? std::optional(check_final(step)) : std::nullopt;
        case VerifyLevel::Off:
            return std::nullopt;
    }
    return std::nullopt;
}

report::StepCheck StepVerifier::check_step(const ops::moe_v2::Step& step) const {
    const ops::Tolerance tolerance{.max_relative_error = run_.verify.max_relative_error,
                                   .min_pcc = run_.verify.min_pcc};
    const auto check = verify_step(session_, step, run_.ops, tolerance);
    return {check.num_elements, check.pcc, check.max_relative_error, check.failure};
}

report::StepCheck StepVerifier::check_final(const ops::moe_v2::Step& step) const {
    std::vector<HostTensor> finals;
    for (const ops::moe_v2::DeviceTensors& device : step.devices) {
        finals.push_back(session_.read(device.at("final")));
    }
    return compare_final(finals, layer_reference(inputs_), run_.verify);
}

}  // namespace tessera::run
