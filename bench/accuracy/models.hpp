// SPDX-License-Identifier: Apache-2.0
// Device models by the architecture and board that rows name.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "bench/accuracy/model.hpp"

namespace tessera::score {

/// Loads models from a folder of arch files and caches them. Thread-safe.
class Models {
public:
    Models(std::filesystem::path arch_folder, const timed_run::Draws& draws)
        : folder_(std::move(arch_folder)), draws_(draws) {}

    /// Returns the model of a board ("N150", "n300", "P150", "P100A", …; empty: the architecture's
    /// default). A board without a file uses another board's file with its own grid and banks.
    /// Errors   NotExpressible for an unknown board; those of config::load_arch.
    [[nodiscard]] const Model& of(const std::string& architecture, const std::string& board);

private:
    std::filesystem::path folder_;
    timed_run::Draws draws_;  ///< of constants, for each prediction
    std::mutex mutex_;
    std::map<std::string, std::unique_ptr<const Model>> models_;  ///< by file and grid
};

}  // namespace tessera::score
