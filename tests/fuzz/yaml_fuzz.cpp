// SPDX-License-Identifier: Apache-2.0
// Any text as a run file: read to nodes, or refused with ConfigError.
#include "runtime/config/read.hpp"
#include "tessera/errors.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        static_cast<void>(tessera::config::read_text(
            std::string(reinterpret_cast<const char*>(data), size), "run.yaml"));
    } catch (const tessera::ConfigError&) {
    }
    return 0;
}
