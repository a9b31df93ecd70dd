// SPDX-License-Identifier: Apache-2.0
#include "ops/moe_v2/moe_v2.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "ops/moe_v2/programs.hpp"

namespace tessera::ops::moe_v2 {
namespace {

HostTensor local_experts(const HostTensor& mapping, std::uint32_t device) {
    const std::uint32_t experts = mapping.shape[1];
    HostTensor row = make_host_tensor({experts}, DataFormat::Int32);
    std::ranges::copy(mapping.as<std::int32_t>().subspan(std::size_t{device} * experts, experts),
                      row.as<std::int32_t>().begin());
    return row;
}

class Pipeline {
public:
    Pipeline(Session& session, const OpsSpec& ops)
        : session_(session),
          ops_(ops),
          steps_(plan_steps(ops)),
          devices_(session.mesh().shape.num_devices()),
          num_routed_tokens_(devices_.size()) {}

    void place(const MoeInputs& inputs) {
        put_everywhere("hidden_states", inputs.hidden_states);
        put_everywhere("selected_experts", inputs.selected_experts);
        put_everywhere("routing_weights", inputs.routing_weights);
        for (std::uint32_t device = 0; device < devices_.size(); ++device) {
            put(device, "local_experts", local_experts(inputs.device_expert_mapping, device),
                Layout::ROW_MAJOR);
            for (const Projection projection :
                 {Projection::Gate, Projection::Up, Projection::Down}) {
                place_weights(inputs, projection, device);
            }
        }
    }

    std::vector<DeviceTensors> run(const Observer& observer, Keep keep) {
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            if (observer.before) {
                observer.before(steps_[i], static_cast<std::uint32_t>(i + 1),
                                static_cast<std::uint32_t>(steps_.size()));
            }
            const Step step = launch(steps_[i]);
            if (observer.after) {
                observer.after(step);
            }
            if (keep == Keep::UntilLastUse) {
                free_unused_after(i);
            }
        }
        return std::move(devices_);
    }

private:
    void allocate(std::uint32_t device, std::string_view name, const TensorSpec& spec) {
        const std::string key(name);
        devices_[device].insert_or_assign(key,
                                          session_.allocate(device, key, spec, BufferType::DRAM));
    }
    void place_weights(const MoeInputs& inputs, Projection projection, std::uint32_t device) {
        if (!inputs.make_weights) {
            allocate(device, name_of(projection),
                     {weights_shape(inputs, projection), DataFormat::Float16_b, Layout::TILE});
            return;
        }
        const HostTensor weights = inputs.make_weights(projection, device);
        check_weights(inputs, projection, device, weights);
        put(device, name_of(projection), weights, Layout::TILE);
    }
    void put_everywhere(std::string_view name, const HostTensor& values) {
        std::vector<DeviceTensor> replicas;
        for (std::uint32_t device = 0; device < devices_.size(); ++device) {
            allocate(device, name, {values.shape, values.format, Layout::ROW_MAJOR});
            replicas.push_back(devices_[device].find(name)->second);
        }
        session_.write_replicated(replicas, values);
    }
    void put(std::uint32_t device, std::string_view name, const HostTensor& values, Layout layout) {
        allocate(device, name, {values.shape, values.format, layout});
        session_.write(devices_[device].find(name)->second, values);
    }

    Step launch(const StepPlan& plan) {
        for (std::uint32_t device = 0; device < devices_.size(); ++device) {
            const std::vector<TensorSpec> specs = output_specs(plan, devices_[device]);
            for (std::size_t i = 0; i < specs.size(); ++i) {
                allocate(device, plan.outputs[i], specs[i]);
            }
        }
        const auto programs = make_programs(
            plan, {session_.arch(), session_.mesh(), ops_, num_routed_tokens_}, devices_);
        Step step{.plan = &plan,
                  .launch = session_.launch(std::string(plan.name), programs),
                  .devices = devices_};
        if (plan.kind == StepKind::PrepareRouting) {
            read_counts();
        }
        step.num_cores = static_cast<std::uint32_t>(step.launch.cores.size());
        step.num_routed_tokens = num_routed_tokens_;
        step.output_tiles = output_tiles(plan);
        return step;
    }

    void read_counts() {
        for (std::size_t device = 0; device < devices_.size(); ++device) {
            const HostTensor counts = session_.read(devices_[device].at("num_routed_tokens"));
            const auto values = counts.as<std::uint32_t>();
            num_routed_tokens_[device].assign(values.begin(), values.end());
        }
    }

    // Rows of tiles that hold tokens, for the tensors that have a row for each of an expert's.
    [[nodiscard]] std::uint64_t output_tiles(const StepPlan& plan) const {
        std::uint64_t tiles = 0;
        for (std::size_t device = 0; device < devices_.size(); ++device) {
            for (const std::string_view name : plan.outputs) {
                const Shape& shape = devices_[device].find(name)->second.spec.shape;
                const std::uint64_t columns = (shape.back() + kTileColumns - 1) / kTileColumns;
                if (shape.size() < 3) {
                    tiles += (shape[0] + kTileRows - 1) / kTileRows * columns;
                    continue;
                }
                for (const std::uint32_t count : num_routed_tokens_[device]) {
                    tiles += (count + kTileRows - 1) / kTileRows * columns;
                }
            }
        }
        return tiles;
    }

    [[nodiscard]] bool is_read_after(std::size_t step, std::string_view name) const {
        return std::any_of(steps_.begin() + static_cast<std::ptrdiff_t>(step) + 1, steps_.end(),
                           [&](const StepPlan& later) {
                               return std::ranges::find(later.inputs, name) != later.inputs.end();
                           });
    }

    void free_unused_after(std::size_t step) {
        for (DeviceTensors& tensors : devices_) {
            std::erase_if(tensors, [&](const auto& entry) {
                const auto& [name, tensor] = entry;
                const bool is_unused = name != "final" && !is_read_after(step, name);
                if (is_unused) {
                    session_.deallocate(tensor);
                }
                return is_unused;
            });
        }
    }

    Session& session_;
    const OpsSpec& ops_;
    std::vector<StepPlan> steps_;
    std::vector<DeviceTensors> devices_;
    std::vector<std::vector<std::uint32_t>> num_routed_tokens_;
};

}  // namespace

std::vector<DeviceTensors> run(Session& session, const MoeInputs& inputs, const OpsSpec& ops,
                               const Observer& observer, Keep keep) {
    check_inputs(inputs, session.mesh(), session.arch());
    Pipeline pipeline(session, ops);
    pipeline.place(inputs);
    return pipeline.run(observer, keep);
}

}  // namespace tessera::ops::moe_v2
