// SPDX-License-Identifier: Apache-2.0
// Names of the cases of value-parameterised tests.
#pragma once

#include <cctype>
#include <string>
#include <string_view>

namespace tessera::testing_support {

/// Returns the letters and digits of `text`, which a test's name may have. A letter after another
/// character is in upper case: "robust: 95 %" is "Robust95". Text without any gives "Empty".
[[nodiscard]] inline std::string case_name(std::string_view text) {
    std::string name;
    bool begins_word = true;
    for (const char character : text) {
        const auto letter = static_cast<unsigned char>(character);
        if (std::isalnum(letter) != 0) {
            name += static_cast<char>(begins_word ? std::toupper(letter) : letter);
        }
        begins_word = std::isalnum(letter) == 0;
    }
    return name.empty() ? "Empty" : name;
}

}  // namespace tessera::testing_support
