// SPDX-License-Identifier: Apache-2.0
// Any lines as texts of several `--set` options: applied to a run file in order, or refused with
// ConfigError.
#include <sstream>

#include "runtime/config/override.hpp"
#include "runtime/config/read.hpp"
#include "tessera/errors.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tessera::config;
    static const Node kRun = read_text(
        "mesh: {device: wormhole_n150, shape: [1, 1]}\n"
        "params: {M: 64}\n"
        "steps:\n  - {name: mm, op: matmul, in: [a, b], out: [c], set: {grid: [1, 1]}}\n",
        "run.yaml");
    std::istringstream lines(std::string(reinterpret_cast<const char*>(data), size));
    try {
        Node run = kRun;
        for (std::string line; std::getline(lines, line);) {
            apply(parse_set(line), run);
        }
    } catch (const tessera::ConfigError&) {
    }
    return 0;
}
