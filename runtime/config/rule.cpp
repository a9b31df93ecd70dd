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
    binding_->violations.add(origin_of(*named, text), full, text);
}

// A rule across keys names one of them. If the user's override set another that the text names, the
// override is the mistake, and not the file.
const Origin& Judge::origin_of(const ResolvedValue& named, const std::string& text) const {
    const auto is_to_blame = [&](const ResolvedValue& value) {
        return value.origin.kind == OriginKind::Override && value.path.starts_with(prefix_) &&
               text.find(value.path.substr(prefix_.size())) != std::string::npos;
    };
    const auto set = std::ranges::find_if(binding_->resolved, is_to_blame);
    const bool is_set =
        named.origin.kind == OriginKind::Override || set == binding_->resolved.end();
    return is_set ? named.origin : set->origin;
}

}  // namespace tessera::config
