// SPDX-License-Identifier: Apache-2.0
// Names of this process's own functions, static ones included.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::host_profile {

/// Where an address lies.
struct CodePlace {
    std::string function;  ///< mangled; empty outside the program or where it was stripped
    std::string library;   ///< path of the shared object; empty for the program itself
};

class Symbols {
public:
    /// Reads the program's table of symbols; it is empty where they were stripped.
    Symbols();

    [[nodiscard]] CodePlace place_of(std::uint64_t address) const;

private:
    struct Function {
        std::uint64_t begin;
        std::uint64_t end;
        std::string name;
    };

    std::uint64_t base_ = 0;           ///< what the loader added to the program's addresses
    std::vector<Function> functions_;  ///< by address
};

}  // namespace tessera::host_profile
