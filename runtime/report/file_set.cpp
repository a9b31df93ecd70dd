// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/file_set.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "tessera/errors.hpp"

namespace tessera::report {
namespace {

namespace fs = std::filesystem;

/// A file under a name of its own until it is published; removed if it never is.
class PartialFile {
public:
    PartialFile(const fs::path& directory, const NamedText& file)
        : final_(directory / file.name),
          partial_(directory / fmt::format(".{}.partial-{}", file.name, ::getpid())) {
        require(!fs::is_directory(final_), "{}: is a folder, where a report's file should go",
                final_.string());
        std::ofstream stream(partial_, std::ios::binary | std::ios::trunc);
        stream.write(file.text.data(), static_cast<std::streamsize>(file.text.size()));
        stream.close();
        if (!stream) {
            const std::string reason = std::strerror(errno);
            remove();
            require(false, "{}: cannot write {} bytes: {}", final_.string(), file.text.size(),
                    reason);
        }
    }
    PartialFile(PartialFile&& other) noexcept
        : final_(std::move(other.final_)), partial_(std::move(other.partial_)) {
        other.partial_.clear();
    }
    PartialFile(const PartialFile&) = delete;
    PartialFile& operator=(const PartialFile&) = delete;
    PartialFile& operator=(PartialFile&&) = delete;
    ~PartialFile() { remove(); }

    void publish() {
        std::error_code error;
        fs::rename(partial_, final_, error);
        require(!error, "{}: cannot be put in place: {}", final_.string(), error.message());
        partial_.clear();
    }

private:
    void remove() noexcept {
        std::error_code error;  // a file that is not there is as good as removed
        if (!partial_.empty()) {
            fs::remove(partial_, error);
        }
    }
    fs::path final_;
    fs::path partial_;
};

}  // namespace

void write_together(const fs::path& directory, const std::vector<NamedText>& files) {
    require(!directory.empty(), "--report: the name is empty");
    std::error_code error;
    fs::create_directories(directory, error);
    require(!error, "{}: cannot be created: {}", directory.string(), error.message());
    std::vector<PartialFile> partials;
    partials.reserve(files.size());
    for (const NamedText& file : files) {
        partials.emplace_back(directory, file);
    }
    for (PartialFile& partial : partials) {
        partial.publish();
    }
}

}  // namespace tessera::report
