// SPDX-License-Identifier: Apache-2.0
// Device 2.0: marks memory as in use until the end of a scope.
#pragma once

#include <utility>

namespace experimental {

/// Runs a function at the end of its scope.
template <class Release>
class Lock {
public:
    explicit Lock(Release release) : release_(std::move(release)) {}
    ~Lock() { release_(); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

private:
    Release release_;
};

}  // namespace experimental

namespace tessera::kernel {
/// A debug build of the chip's firmware reports transfers into a locked region. The machine checks
/// transfers against CB pages and barriers instead, so locks do nothing.
struct NoRelease {
    void operator()() const {}
};
}  // namespace tessera::kernel
