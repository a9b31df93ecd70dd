// SPDX-License-Identifier: Apache-2.0
// The run of one layer of a model on a mesh: a run file that extends a shipped one and sets its
// params to the model's numbers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/config/override.hpp"
#include "runtime/model/read_model.hpp"
#include "runtime/model/yaml_text.hpp"

namespace tessera::config {
struct LoadedRun;
}

namespace tessera::model {

/// Part of a layer that runs.
enum class LayerPart : std::uint8_t { Moe, Whole };
enum class Phase : std::uint8_t { Decode, Prefill };

/// A user's request for the run of a layer.
struct LayerDemand {
    std::uint32_t rows = 1;  ///< rows of the mesh
    std::uint32_t columns = 8;
    std::string device = "wormhole_n150";
    std::uint32_t tokens = 32;  ///< tokens of all devices together
    LayerPart part = LayerPart::Moe;
    Phase phase = Phase::Decode;
    std::uint32_t context = 1024;  ///< cached positions of each sequence, of a whole layer
    bool computes_values = true;   ///< false: logits are drawn, since no kernel computes them
    std::optional<std::uint32_t> layer = {};  ///< its number; the first with experts if empty
    std::optional<std::filesystem::path> weights = {};  ///< folder of the model's files
    /// params.quantisation, if the user sets it; else experts keep the codes of their files, or have
    /// those that quantization_config states.
    std::optional<std::string> quantisation = {};
    /// params.pf and params.experts_by, if the user sets them; the other part is chosen to fit.
    std::optional<std::string> prepare_finalize = {};
    std::optional<std::string> experts = {};
    /// File with the tensor `given_ids`, and what it was made from.
    std::optional<std::filesystem::path> ids_file = {};
    std::string ids_source = {};

    [[nodiscard]] std::uint32_t devices() const { return rows * columns; }
};

struct LayerRun {
    std::string extends;  ///< the shipped run file
    LayerDemand demand;
    std::vector<PathValue> values;         ///< params and origins of tensors
    std::vector<std::string> assumptions;  ///< assumptions of the reader and of the run
};

/// Returns the number of the layer, which has experts.
/// Errors   UsageError that names --layer-index and the allowed numbers.
[[nodiscard]] std::uint32_t layer_of(const ReadModel& read, const LayerDemand& demand);

/// Returns the params.quantisation of a layer, as far as it is known without its files.
[[nodiscard]] std::string quantisation_of(const ReadModel& read, const LayerDemand& demand);

/// Returns the layer of a model. Its dispatch follows from the tokens of a device.
/// Errors   UsageError for a layer that no op computes.
[[nodiscard]] LayerRun layer_run(const ReadModel& read, const LayerDemand& demand);

/// Returns the text of the run file: each param on a line with its origin. `sets` are values of the
/// command line, which replace the model's.
[[nodiscard]] std::string run_file_text(const ReadModel& read, const LayerRun& run,
                                        std::span<const config::Override> sets = {});

/// Returns the mesh and the params as overrides of the shipped run file.
[[nodiscard]] std::vector<config::Override> overrides_of(const LayerRun& run);

/// Bytes of the fullest device.
struct DeviceMemory {
    std::uint64_t weights = 0;
    std::uint64_t cache = 0;
    std::uint64_t activations = 0;  ///< the largest sum of tensors that exist at one time
    std::uint64_t dram = 0;         ///< bytes of a device

    [[nodiscard]] std::uint64_t total() const { return weights + cache + activations; }
};

/// Returns the memory of a loaded run, as it is planned. Tensors in the group `cache` of the block
/// `report.memory` are the cache; those of other groups, except `tokens`, are weights.
[[nodiscard]] DeviceMemory device_memory(const config::LoadedRun& loaded);

/// Returns the host memory that the values of a loaded run take.
[[nodiscard]] std::uint64_t host_bytes(const config::LoadedRun& loaded);

}  // namespace tessera::model
