// SPDX-License-Identifier: Apache-2.0
#include "emu/base/print_sink.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "tessera/errors.hpp"

namespace tessera {
namespace {

std::string destination() {
    const char* named = std::getenv(kPrintVariable);
    return named == nullptr || *named == '\0' ? "stderr" : named;
}

std::FILE* open_destination() {
    const std::string name = destination();
    if (name == "stderr") {
        return stderr;
    }
    if (name == "off") {
        return nullptr;
    }
    std::FILE* file = std::fopen(name.c_str(), "w");
    require(file != nullptr, "{}={}: {}; allowed: stderr, off, or a file that can be created",
            kPrintVariable, name, std::strerror(errno));
    return file;
}

std::FILE* sink() {
    static std::FILE* const file = open_destination();
    return file;
}

}  // namespace

bool prints_are_on() {
    return sink() != nullptr;
}

void print_line(std::string_view line) {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    std::fwrite(line.data(), 1, line.size(), sink());
    std::fputc('\n', sink());
    std::fflush(sink());  // a run that ends in a deadlock shows what came before
}

}  // namespace tessera
