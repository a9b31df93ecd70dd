// SPDX-License-Identifier: Apache-2.0
// Numbers as reports show them: short, with their unit.
#pragma once

#include <cstdint>
#include <string>

namespace tessera::report {

/// Exact below 100 000, then three digits and a decimal prefix: "12345", "1.23 M".
[[nodiscard]] std::string show_count(double count);
/// Three digits and a binary prefix: "512 B", "1.50 KiB", "12.0 MiB".
[[nodiscard]] std::string show_bytes(double bytes);
/// "1.23 s", "45.6 ms", "789 us".
[[nodiscard]] std::string show_seconds(double seconds);
/// "87 %"; "<1 %" for what is not 0 but would round to it.
[[nodiscard]] std::string show_share(double share);
/// A correlation with its nines: "0.999987", never rounded up to 1.
[[nodiscard]] std::string show_pcc(double pcc);
/// "0" or two digits with an exponent: "3.8e-03"; "inf", "nan".
[[nodiscard]] std::string show_error(double error);

/// Thousandths of a cycle as whole cycles, rounded, in groups: "1 234 567".
[[nodiscard]] std::string show_cycles(std::int64_t millicycles);
/// As show_seconds, with three digits below a millisecond too: "1.23 us", "45.6 ns".
[[nodiscard]] std::string show_duration(double seconds);
/// Three digits, a decimal prefix and the unit: "288 GB/s".
[[nodiscard]] std::string show_rate(double per_second, const std::string& unit);

}  // namespace tessera::report
