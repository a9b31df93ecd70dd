// SPDX-License-Identifier: Apache-2.0
// Formats numbers for reports: short, with their unit.
#pragma once

#include <cstdint>
#include <string>

namespace tessera::report {

/// Returns exact digits below 100 000, then three digits and a decimal prefix: "12345", "1.23 M".
[[nodiscard]] std::string show_count(double count);
/// Returns three digits and a binary prefix: "512 B", "1.50 KiB", "12.0 MiB".
[[nodiscard]] std::string show_bytes(double bytes);
/// Returns "1.23 s", "45.6 ms", "789 us".
[[nodiscard]] std::string show_seconds(double seconds);
/// Returns "87 %"; "<1 %" for a share above 0 that would be rounded to 0.
[[nodiscard]] std::string show_share(double share);
/// Returns a difference with its sign: "+15.2 %", "−36.5 %"; "0.0 %" without one.
[[nodiscard]] std::string show_change(double share);
/// Returns a correlation with its nines: "0.999987", never rounded up to 1.
[[nodiscard]] std::string show_pcc(double pcc);
/// Returns "0" or two digits with an exponent: "3.8e-03"; "inf", "nan".
[[nodiscard]] std::string show_error(double error);

/// Returns millicycles as whole cycles, rounded, in groups: "1 234 567".
[[nodiscard]] std::string show_cycles(std::int64_t millicycles);
/// Returns nanoseconds as microseconds with three decimals, in groups: "1 234.568".
[[nodiscard]] std::string show_microseconds(double nanoseconds);
/// Returns seconds as show_seconds does, with three digits also below a millisecond: "1.23 us",
/// "45.6 ns".
[[nodiscard]] std::string show_duration(double seconds);
/// Returns three digits, a decimal prefix and the unit: "288 GB/s".
[[nodiscard]] std::string show_rate(double per_second, const std::string& unit);

}  // namespace tessera::report
