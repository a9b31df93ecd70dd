// SPDX-License-Identifier: Apache-2.0
#include "ops/parameters.hpp"

#include "tessera/errors.hpp"

namespace tessera::ops {

void ParameterRef::require_type(const std::type_info& asked) const {
    // A schedule of another op would be read as garbage otherwise.
    ensure(type_ != nullptr && *type_ == asked, "parameters are of the type {}, read as {}",
           type_ == nullptr ? "none" : type_->name(), asked.name());
}

}  // namespace tessera::ops
