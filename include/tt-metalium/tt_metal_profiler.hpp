// SPDX-License-Identifier: Apache-2.0
// Device profiles with predicted times.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tt-metalium/device.hpp"

namespace tt::tt_metal {

enum class ProfilerReadState { NORMAL, ONLY_DISPATCH_CORES, LAST_FD_READ };
using ProfilerDumpState = ProfilerReadState;
enum class ProfilerSyncState { INIT, CLOSE_DEVICE };

namespace detail {
/// Does the same as tt_metal::DumpDeviceProfileResults: writes the profile of all launches so far.
void ReadDeviceProfilerResults(IDevice* device,
                               ProfilerReadState state = ProfilerReadState::NORMAL);
inline void DumpDeviceProfileResults(IDevice* device,
                                     ProfilerReadState state = ProfilerReadState::NORMAL) {
    ReadDeviceProfilerResults(device, state);
}
inline void DumpDeviceProfileResults(IDevice* device, std::vector<CoreCoord>& /*cores*/,
                                     ProfilerReadState state = ProfilerReadState::NORMAL) {
    ReadDeviceProfilerResults(device, state);
}
/// Sets the folder of the profile.
void SetDeviceProfilerDir(const std::string& folder = "");
/// Deletes the profile of earlier runs.
void FreshProfilerDeviceLog();
inline void InitDeviceProfiler(IDevice* /*device*/) {
}
inline void ClearProfilerControlBuffer(IDevice* /*device*/) {
}
inline void ProfilerSync(ProfilerSyncState /*state*/) {
}
}  // namespace detail

}  // namespace tt::tt_metal
