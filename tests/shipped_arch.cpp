// SPDX-License-Identifier: Apache-2.0
#include "tests/shipped_arch.hpp"

#include <filesystem>

#include "runtime/config/load.hpp"

namespace tessera::testing {

ArchSpec shipped_arch(const std::string& name) {
    return config::load_arch(std::filesystem::path(TESSERA_SOURCE_DIR) / "configs" / "arch" /
                             (name + ".yaml"))
        .arch;
}

}  // namespace tessera::testing
