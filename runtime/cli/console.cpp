// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/console.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace tessera::cli {
namespace {

std::string_view environment(const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no thread sets it
    return value == nullptr ? "" : value;
}

}  // namespace

report::TextStyle style_of(int file_descriptor) {
    report::TextStyle style;
    if (isatty(file_descriptor) == 0) {
        return style;
    }
    winsize size{};
    if (ioctl(file_descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        style.width = size.ws_col;
    }
    if (environment("NO_COLOR").empty() && environment("TERM") != "dumb") {
        style.colour = report::Colour::On;
    }
    return style;
}

Progress progress_on(int file_descriptor) {
    return isatty(file_descriptor) != 0 && environment("TERM") != "dumb" ? Progress::Redrawn
                                                                         : Progress::EachMinute;
}

}  // namespace tessera::cli
