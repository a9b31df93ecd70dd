// SPDX-License-Identifier: Apache-2.0
// Sinks that a session calls beside the kernels of the next launch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>

#include "runtime/session/emulated_session.hpp"
#include "tessera/errors.hpp"
#include "tests/arch_fixture.hpp"

namespace tessera {
namespace {

using ::testing::ElementsAre;

Program program_of(const char* kernel) {
    Program program;
    CreateKernelFromString(program, kernel, CoreCoord{0, 0}, WriterDataMovementConfig(),
                           "writer.cpp");
    return program;
}

constexpr const char* kEmpty = "void kernel_main() {}";

class SinkBesideKernels : public ::testing::Test {
protected:
    using Sink = std::function<void(const Trace& so_far, LaunchTrace&& launch)>;

    static std::unique_ptr<EmulatedSession> session_with(Sink sink, std::uint32_t threads = 2) {
        return std::make_unique<EmulatedSession>(
            MeshSpec{}, testing::small_arch(),
            SessionOptions{.threads = threads,
                           .trace = TraceMode::On,
                           .trace_sink = std::move(sink),
                           .sink_calls = SinkCalls::BesideKernels});
    }
    static void launch(EmulatedSession& session, const std::string& name,
                       const char* kernel = kEmpty) {
        session.launch(name, std::vector<DeviceProgram>{{0, program_of(kernel)}});
    }
};

TEST_F(SinkBesideKernels, LaunchReturnsBeforeTheSinkDoes) {
    std::promise<void> returned;
    std::future_status seen{};
    const auto session = session_with([&](const Trace&, LaunchTrace&&) {
        seen = returned.get_future().wait_for(std::chrono::minutes(1));
    });

    launch(*session, "one");
    returned.set_value();
    session->wait_for_sink();

    EXPECT_EQ(seen, std::future_status::ready);
}

TEST_F(SinkBesideKernels, OneThreadCallsTheSinkInTheLaunch) {
    std::vector<std::string> seen;
    const auto session =
        session_with([&](const Trace&, LaunchTrace&& launch) { seen.push_back(launch.name); }, 1);

    launch(*session, "one");

    EXPECT_THAT(seen, ElementsAre("one"));
}

TEST_F(SinkBesideKernels, LaunchesArriveInOrderWithTheNamesThatTheyReferTo) {
    std::vector<std::string> seen;
    std::vector<std::size_t> names;
    const auto session = session_with([&](const Trace& so_far, LaunchTrace&& launch) {
        seen.push_back(launch.name);
        names.push_back(so_far.names.size());
    });

    launch(*session, "one");
    launch(*session, "two", "void kernel_main() { DeviceZoneScopedN(\"zone\"); }");
    launch(*session, "three");
    session->wait_for_sink();

    EXPECT_THAT(seen, ElementsAre("one", "two", "three"));
    // "" and the kernel; then the zone, too. Kernels of one text are one kernel.
    EXPECT_THAT(names, ElementsAre(2, 3, 3));
}

TEST_F(SinkBesideKernels, TheNextLaunchThrowsTheErrorOfTheSink) {
    const auto session = session_with(
        [](const Trace&, LaunchTrace&& launch) { throw UsageError("no room: " + launch.name); });

    launch(*session, "one");

    EXPECT_THAT([&] { launch(*session, "two"); },
                ::testing::ThrowsMessage<UsageError>("no room: one"));
}

// With one thread the second launch does not start.
TEST_F(SinkBesideKernels, AnErrorOfTheSinkComesBeforeThatOfTheNextLaunch) {
    for (const std::uint32_t threads : {1U, 2U}) {
        const auto session =
            session_with([](const Trace&, LaunchTrace&&) { throw UsageError("no room"); }, threads);
        const auto run = [&] {
            launch(*session, "one");
            launch(*session, "two", "void kernel_main() { cb_push_back(7, 1); }");
        };

        EXPECT_THAT(run, ::testing::ThrowsMessage<UsageError>("no room")) << threads;
    }
}

}  // namespace
}  // namespace tessera
