// SPDX-License-Identifier: Apache-2.0
// The device models that rows name by architecture and board.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "bench/accuracy/model.hpp"

namespace tessera::score {

/// Loads models from a folder of arch files and keeps them. May be asked by several threads.
class Models {
public:
    Models(std::filesystem::path arch_folder, const timed_run::Draws& draws)
        : folder_(std::move(arch_folder)), draws_(draws) {}

    /// The model of a board ("N150", "n300", "P150", "P100A", …; empty: the architecture's own).
    /// Boards without a file of their own are another one's with the grid and banks they have.
    /// Errors   NotExpressible for a board that is not known; as config::load_arch.
    [[nodiscard]] const Model& of(const std::string& architecture, const std::string& board);

private:
    std::filesystem::path folder_;
    timed_run::Draws draws_;  ///< of constants, for each prediction
    std::mutex mutex_;
    std::map<std::string, std::unique_ptr<const Model>> models_;  ///< by file and grid
};

}  // namespace tessera::score
