// SPDX-License-Identifier: Apache-2.0
// Compares outputs of a V2 layer, as `--outputs` writes them, with a V2 golden file.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "emu/base/tensor_file/safetensors.hpp"
#include "tessera/tensor_compare.hpp"
#include "tests/ops/golden_tensor.hpp"

namespace tessera::testing {

class V2Golden {
public:
    explicit V2Golden(const std::string& stem) : file_(stem) {}

    /// Compares the outputs of steps that only move rows: the bytes must be equal.
    void expect_exact_tables(const SafetensorsFile& outputs) const {
        for (const std::string& d : devices()) {
            for (const char* name : {"num_routed_tokens", "scattered"}) {
                EXPECT_EQ(compared(outputs.read(d + name), d).bytes,
                          compared(golden_tensor(file_, d + name), d).bytes)
                    << d << name;
            }
            for (const char* name : {"routed_tokens", "routed_token_weights", "token_idx_map"}) {
                EXPECT_EQ(valid_part(outputs.read(d + name), d).bytes,
                          valid_part(golden_tensor(file_, d + name), d).bytes)
                    << d << name;
            }
        }
    }
    /// Compares with the chain in exact arithmetic, within each tensor's tolerance in the index.
    void expect_exact_chain(const SafetensorsFile& outputs) const {
        for (const char* name : {"gate", "up", "combined", "down", "local"}) {
            expect_close(name, pairs(outputs, name, ""), tolerance(std::string("d0.") + name));
        }
        expect_close("final", final_pair(outputs, "final"), tolerance("final"));
    }
    /// Compares with the chain that rounds each tensor to its format; `names` are the tensors that
    /// the layer rounds.
    void expect_staged_chain(const SafetensorsFile& outputs,
                             std::span<const char* const> names) const {
        for (const char* name : names) {
            expect_staged(name, pairs(outputs, name, "staged."),
                          tolerance(std::string("d0.staged.") + name));
        }
    }
    void expect_staged_final(const SafetensorsFile& outputs) const {
        expect_staged("final", final_pair(outputs, "staged.final"), tolerance("staged.final"));
    }

private:
    /// Compared parts of a result and of its golden tensor.
    using Pairs = std::vector<std::pair<HostTensor, HostTensor>>;

    [[nodiscard]] std::vector<std::string> devices() const {
        std::vector<std::string> prefixes;
        for (int d = 0; d < file_.entry().at("params").at("D").get<int>(); ++d) {
            prefixes.push_back("d" + std::to_string(d) + ".");
        }
        return prefixes;
    }
    /// Returns the rows of a (E/D,T,X) tensor, or entries of a (E/D,T) tensor, that hold tokens.
    [[nodiscard]] HostTensor valid_part(const HostTensor& tensor, const std::string& device) const {
        const auto counts = file_.tensor(device + "num_routed_tokens").as<std::uint32_t>();
        HostTensor valid{{}, tensor.format, {}};
        const std::size_t expert_bytes = tensor.bytes.size() / counts.size();
        const std::size_t row_bytes = expert_bytes / tensor.shape.at(1);
        for (std::size_t expert = 0; expert < counts.size(); ++expert) {
            const auto rows =
                std::span(tensor.bytes).subspan(expert * expert_bytes, counts[expert] * row_bytes);
            valid.bytes.insert(valid.bytes.end(), rows.begin(), rows.end());
        }
        return valid;
    }
    /// `local` has one row per token, the counts one row per expert.
    [[nodiscard]] HostTensor compared(const HostTensor& tensor, const std::string& device) const {
        return tensor.shape.size() == 3 ? valid_part(tensor, device) : tensor;
    }
    [[nodiscard]] Pairs pairs(const SafetensorsFile& outputs, const std::string& name,
                              const std::string& chain) const {
        Pairs all;
        for (const std::string& device : devices()) {
            all.emplace_back(compared(outputs.read(device + name), device),
                             compared(golden_tensor(file_, device + chain + name), device));
        }
        return all;
    }
    [[nodiscard]] Pairs final_pair(const SafetensorsFile& outputs,
                                   const std::string& golden) const {
        return {{outputs.read("final"), golden_tensor(file_, golden)}};
    }
    [[nodiscard]] const nlohmann::json& tolerance(const std::string& name) const {
        return file_.entry_of(name).at("tolerance");
    }
    /// A tolerance applies to the tensors of all devices together.
    static std::vector<ComparedPart> parts_of(const Pairs& pairs) {
        std::vector<ComparedPart> parts;
        for (const auto& [result, golden] : pairs) {
            parts.push_back({result, golden});
        }
        return parts;
    }
    static void expect_close(const std::string& name, const Pairs& pairs,
                             const nlohmann::json& stated) {
        const CloseTolerance tolerance{stated.at("pcc_min").get<double>(),
                                       stated.at("max_rel_err").get<double>()};
        const Closeness closeness = compare_close(parts_of(pairs), tolerance);
        EXPECT_GT(closeness.num_elements, 0U);
        EXPECT_TRUE(closeness.passes(tolerance))
            << name << ": PCC " << closeness.pcc << ", error " << closeness.max_rel_err;
    }
    static void expect_staged(const std::string& name, const Pairs& pairs,
                              const nlohmann::json& stated) {
        const UlpTolerance tolerance{stated.at("max_ulp").get<double>(),
                                     stated.at("atol").get<double>(),
                                     stated.at("mismatch_fraction_max").get<double>()};
        const UlpCloseness closeness = compare_ulps(parts_of(pairs), tolerance);
        EXPECT_TRUE(closeness.passes(tolerance))
            << name << ": " << closeness.num_mismatches << " of " << closeness.num_elements
            << " differ, by " << closeness.max_ulp_beyond_atol << " ulp at most";
    }

    golden::GoldenFile file_;
};

/// Tensors rounded by the layer with silu and mul as two steps.
inline constexpr std::array kStagedNames{"gate", "up", "silu", "combined", "down", "local"};

}  // namespace tessera::testing
