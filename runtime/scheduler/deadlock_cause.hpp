// SPDX-License-Identifier: Apache-2.0
// Says why a launch in which nothing can run has come to that.
#pragma once

#include <span>
#include <string>

namespace tessera {

class KernelThread;

/// "device 0 core (1,0) reader".
[[nodiscard]] std::string name_of(const KernelThread& thread);
/// What a thread waits on, as its author named it: a semaphore by its id, not by its place in L1.
/// Preconditions  it waits for a word of its L1.
[[nodiscard]] std::string name_of_word(const KernelThread& thread);

/// The cause that says most, of those that the threads' waits lead to, as "cause: …". A semaphore
/// or a CB that others should have filled says least: they may be blocked themselves.
/// Preconditions  at least one thread, all of them blocked.
[[nodiscard]] std::string describe_cause(std::span<KernelThread* const> blocked);

}  // namespace tessera
