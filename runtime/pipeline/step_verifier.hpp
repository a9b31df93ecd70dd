// SPDX-License-Identifier: Apache-2.0
// Compares steps with references, as far as a run's configuration asks for it.
#pragma once

#include <optional>
#include <span>

#include "ops/moe_v2/step.hpp"
#include "runtime/pipeline/moe_inputs.hpp"
#include "runtime/report/run_record.hpp"
#include "tessera/run_spec.hpp"
#include "tessera/session.hpp"

namespace tessera::run {

/// Compares `final` of every device with the layer's reference: the first within `verify`'s bounds,
/// the others byte for byte with the first.
[[nodiscard]] report::StepCheck compare_final(std::span<const HostTensor> finals,
                                              const HostTensor& reference,
                                              const VerifySpec& verify);

class StepVerifier {
public:
    /// All three outlive the object.
    StepVerifier(const RunSpec& run, const MoeInputs& inputs, const Session& session)
        : run_(run), inputs_(inputs), session_(session) {}

    /// EveryStep: the step against its op's reference on the step's own inputs. FinalOnly: the last
    /// step against layer_reference, none of the others. Off: none.
    [[nodiscard]] std::optional<report::StepCheck> check(const ops::moe_v2::Step& step) const;

private:
    [[nodiscard]] report::StepCheck check_step(const ops::moe_v2::Step& step) const;
    [[nodiscard]] report::StepCheck check_final(const ops::moe_v2::Step& step) const;

    const RunSpec& run_;
    const MoeInputs& inputs_;
    const Session& session_;
};

}  // namespace tessera::run
