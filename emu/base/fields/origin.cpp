// SPDX-License-Identifier: Apache-2.0
#include "emu/base/fields/origin.hpp"

#include <fmt/format.h>

namespace tessera::config {

std::string to_string(const Origin& origin) {
    switch (origin.kind) {
        case OriginKind::Default:
            return "default";
        case OriginKind::File:
            return fmt::format("{}:{}:{}", origin.text, origin.line, origin.column);
        case OriginKind::Override:
            return origin.text;
    }
    return "?";
}

}  // namespace tessera::config
