// SPDX-License-Identifier: Apache-2.0
// Mistakes of a step by the names that its op knows, at their lines in the run file.
#pragma once

#include <string>
#include <string_view>

#include "ops/contract.hpp"
#include "runtime/config/pipeline_binder.hpp"

namespace tessera::config {

/// Records a broken rule at the value or operand that the rule names. Ops know names of parameters
/// and operands only; this class finds their lines in the run file.
class StepJudge final : public ops::RuleJudge {
public:
    /// Precondition   both outlive the object.
    StepJudge(PipelineBinder& binder, const pipeline::PipelineStep& step)
        : binder_(binder), step_(step) {}

    void require(bool holds, std::string_view blamed, const std::string& text) override;
    /// Requires the value of a parameter that `maker`, the step that makes `tensor`, has under the
    /// same name (Op::shared_parameters). Does nothing if `maker` is empty, or a step has no value.
    void require_as_maker(std::string_view parameter, const std::string& tensor,
                          const std::string& maker);
    [[nodiscard]] bool is_kept() const noexcept { return is_kept_; }

private:
    PipelineBinder& binder_;
    const pipeline::PipelineStep& step_;
    bool is_kept_ = true;
};

}  // namespace tessera::config
