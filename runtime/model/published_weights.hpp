// SPDX-License-Identifier: Apache-2.0
// Storage of the experts' weights in a model's files, as quantization_config states it.
#pragma once

#include <cstdint>
#include <string>

namespace tessera::model {

class ConfigJson;

/// params.quantisation of experts in bfloat16.
inline constexpr const char* kUnquantised = "none";

/// Weights of experts as they are published.
struct PublishedWeights {
    std::string method;                       ///< quant_method; empty: no quantization_config
    std::string quantisation = kUnquantised;  ///< value of params.quantisation
    std::uint32_t group = 0;                  ///< columns that share a scale of int4_group; 0: all
    bool has_zero_points = false;             ///< of int4_group
    /// Property for which the layer takes bfloat16 instead; empty if `quantisation` is that of the
    /// files.
    std::string untaken;
    std::string note;  ///< property of the files that the run leaves out; empty: none
};

/// Returns the storage that the section quantization_config states.
/// Errors   UsageError with the place and the value for keys of another type. Forms that the
///          layer cannot compute with are not errors: `untaken` names them.
[[nodiscard]] PublishedWeights read_published_weights(const ConfigJson& section);

}  // namespace tessera::model
