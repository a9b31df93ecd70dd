// SPDX-License-Identifier: Apache-2.0
#include "tessera/errors.hpp"

namespace tessera {
namespace {

std::string describe(FaultCategory category, const Where& where, const std::string& detail) {
    return fmt::format("{}: device {} core ({},{}) {} {}:{}: {}", name_of(category), where.device,
                       where.core.x, where.core.y, role_of(where.processor),
                       where.file.empty() ? where.kernel : where.file, where.line, detail);
}

}  // namespace

const char* name_of(FaultCategory category) noexcept {
    switch (category) {
        case FaultCategory::UndefinedBehavior:
            return "UndefinedBehavior";
        case FaultCategory::OutOfBounds:
            return "OutOfBounds";
        case FaultCategory::UninitializedRead:
            return "UninitializedRead";
        case FaultCategory::Deadlock:
            return "Deadlock";
        case FaultCategory::Unsupported:
            return "Unsupported";
        case FaultCategory::Unimplemented:
            return "Unimplemented";
        case FaultCategory::Untested:
            return "Untested";
    }
    return "?";
}

KernelError::KernelError(FaultCategory category, Where where, std::string detail)
    : Error(describe(category, where, detail)),
      category_(category),
      where_(std::move(where)),
      detail_(std::move(detail)) {
}

}  // namespace tessera
