// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/progress_line.hpp"

#include <ostream>

namespace tessera::cli {
namespace {

constexpr const char* kEraseLine = "\r\033[K";

}  // namespace

ProgressLine::~ProgressLine() {
    if (console_.progress == Progress::Shown) {
        console_.err << kEraseLine << std::flush;
    }
}

void ProgressLine::show(const std::string& text) {
    if (console_.progress == Progress::Shown) {
        console_.err << kEraseLine << text << std::flush;
    }
}

}  // namespace tessera::cli
