// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/rule.hpp"

#include <algorithm>

#include "tessera/errors.hpp"

namespace tessera::config {

void Judge::require(bool holds, const std::string& path, const std::string& text) {
    if (holds) {
        return;
    }
    const std::string full = prefix_ + path;
    // A list of facts has no value of its own; its first element has the position of the list.
    const auto named = std::ranges::find_if(binding_->resolved, [&](const ResolvedValue& value) {
        return value.path == full || value.path.starts_with(full + "[");
    });
    ensure(named != binding_->resolved.end(), "a rule names unknown key {}", full);
    binding_->violations.add(named->origin, full, text);
}

}  // namespace tessera::config
