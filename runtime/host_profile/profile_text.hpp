// SPDX-License-Identifier: Apache-2.0
// A host profile as text: phases of the run, kernels by op, and what processors did in them.
#pragma once

#include <string>

#include "runtime/host_profile/host_profile.hpp"
#include "runtime/report/run_record.hpp"
#include "runtime/report/text_style.hpp"

namespace tessera::host_profile {

/// `report_seconds`: what the report's files took, outside the record's total.
[[nodiscard]] std::string profile_text(const report::RunRecord& record, double report_seconds,
                                       const HostProfile& profile, const report::TextStyle& style);

}  // namespace tessera::host_profile
