// SPDX-License-Identifier: Apache-2.0
// An inferred program as a run file, as a table and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "runtime/report/text_style.hpp"
#include "runtime/steps/inferred_program.hpp"

namespace tessera::cli {

/// Keys of the run file that are not inferred.
struct RunFileKeys {
    std::string device;
    std::string reference;               ///< an expression of the inputs; empty: none
    std::string reference_file;          ///< empty: none
    std::vector<std::string> compute{};  ///< "fp32_dest_acc: true" of compute kernels
};

/// Returns the run file of a program. Paths of kernels are as in the program.
[[nodiscard]] std::string run_file_text(const pipeline::InferredProgram& program,
                                        const RunFileKeys& keys);
/// Returns a table of what was inferred and why, with the option that replaces each value.
[[nodiscard]] std::string inference_text(const pipeline::InferredProgram& program,
                                         const report::TextStyle& style);
[[nodiscard]] nlohmann::ordered_json inference_json(const pipeline::InferredProgram& program);

}  // namespace tessera::cli
