// SPDX-License-Identifier: Apache-2.0
// Runs an op on a group of devices. All memory is filled with 0xFF (NaN) before the run.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ops/contract.hpp"
#include "ops/op.hpp"
#include "runtime/session/emulated_session.hpp"
#include "tests/errors/host/usage_error_message.hpp"
#include "tests/shipped_arch.hpp"

namespace tessera::testing {

/// Returns the Wormhole model.
inline const ArchSpec& wormhole() {
    static const ArchSpec kArch = shipped_arch("wormhole_n150");
    return kArch;
}

inline std::vector<std::uint32_t> all_of(const MeshSpec& mesh) {
    std::vector<std::uint32_t> devices(mesh.shape.num_devices());
    for (std::uint32_t d = 0; d < devices.size(); ++d) {
        devices[d] = d;
    }
    return devices;
}

inline HostTensor random_bf16(const Shape& shape, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    HostTensor tensor = make_host_tensor(shape, DataFormat::Float16_b);
    for (std::uint16_t& value : tensor.as<std::uint16_t>()) {
        value = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(normal(random)) >> 16U);
    }
    return tensor;
}

/// One launch of one op.
class GroupRun {
public:
    GroupRun(const ops::Op& op, MeshSpec mesh, std::vector<std::uint32_t> devices,
             SessionOptions options = {.threads = 2})
        : op_(op),
          devices_(std::move(devices)),
          session_(std::make_unique<EmulatedSession>(mesh, wormhole(), options)),
          parameters_(op.params.make()) {}

    template <class P>
    P& params() {
        (void)parameters_.get().as<P>();  // refuses another struct
        return *static_cast<P*>(parameters_.object());
    }

    /// Adds an input with one tensor per device of the group.
    void add(const std::vector<HostTensor>& values, Layout layout = Layout::ROW_MAJOR) {
        const ops::Operand& operand = op_.spec.inputs[inputs_.size()];
        auto& tensors = inputs_.emplace_back();
        for (std::size_t p = 0; p < devices_.size(); ++p) {
            tensors.push_back(
                make(p, std::string(operand.name), {values[p].shape, values[p].format, layout}));
            session_->write(tensors.back(), values[p]);
        }
        plans_.push_back(ops::plan_of(tensors[0]));
        host_.push_back(operand.host_read == ops::HostRead::Yes ? values
                                                                : std::vector<HostTensor>());
    }
    void add(const HostTensor& same) { add(std::vector(devices_.size(), same)); }

    /// Checks, allocates and launches.
    /// Errors   UsageError with the violated rules, one per line.
    void launch() {
        ops::OpContext context{.arch = session_->arch(),
                               .mesh = session_->mesh(),
                               .devices = devices_,
                               .parameters = parameters_.get(),
                               .inputs = plans_};
        Judge judge;
        if (ops::check_contract(op_, context, judge)) {
            op_.rules(context, judge);
        }
        require(judge.text.empty(), "{}", judge.text);
        const std::vector<ops::TensorPlan> outputs = op_.infer(context);
        context.outputs = outputs;
        auto workspaces = op_.workspaces ? op_.workspaces(context) : std::vector<ops::TensorPlan>();
        for (const auto& plans : {outputs, workspaces}) {
            for (const ops::TensorPlan& plan : plans) {
                auto& tensors = outputs_.emplace_back();
                for (std::size_t p = 0; p < devices_.size(); ++p) {
                    tensors.push_back(make(p, "output", plan.spec));
                }
            }
        }
        context.device_inputs = inputs_;
        context.device_outputs = outputs_;
        context.host_inputs = host_;
        session_->launch(std::string(op_.spec.name), op_.programs(context));
    }
    [[nodiscard]] HostTensor output(std::size_t position, std::size_t index = 0) const {
        return session_->read(outputs_[index][position]);
    }
    [[nodiscard]] std::string message() {
        return usage_error_message([this] { launch(); });
    }

    [[nodiscard]] const Session& session() const { return *session_; }

private:
    class Judge : public ops::RuleJudge {
    public:
        std::string text;
        void require(bool holds, std::string_view blamed, const std::string& what) override {
            if (!holds) {
                text += (text.empty() ? "" : "\n") + std::string(blamed) + " " + what;
            }
        }
    };
    DeviceTensor make(std::size_t position, const std::string& name, const TensorSpec& spec) {
        DeviceTensor tensor = session_->allocate(devices_[position], name, spec, BufferType::DRAM);
        session_->fill(tensor, std::byte{0xFF});
        return tensor;
    }

    const ops::Op& op_;
    std::vector<std::uint32_t> devices_;
    std::unique_ptr<EmulatedSession> session_;
    ops::ParameterSet parameters_;
    std::vector<std::vector<DeviceTensor>> inputs_;
    std::vector<std::vector<DeviceTensor>> outputs_;
    std::vector<ops::TensorPlan> plans_;
    std::vector<std::vector<HostTensor>> host_;
};

}  // namespace tessera::testing
