// SPDX-License-Identifier: Apache-2.0
// Readers and writers for a kernel that a user gives alone.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "runtime/steps/inferred_buffers.hpp"
#include "runtime/steps/inferred_program.hpp"

namespace tessera::pipeline {
namespace {

// Circular buffers that one of the kernels fills or awaits, by index.
struct Ends {
    std::set<std::uint32_t> filled;
    std::set<std::uint32_t> awaited;
};

Ends ends_of(const std::vector<KernelFile>& files, const BufferIndices& indices) {
    Ends ends;
    for (std::size_t i = 0; i < files.size(); ++i) {
        for (const KernelBuffer& buffer : files[i].text.buffers) {
            const auto index = indices.find({i, buffer.index});
            if (index == indices.end()) {
                continue;
            }
            if (buffer.is_pushed) {
                ends.filled.insert(index->second);
            }
            if (buffer.is_awaited) {
                ends.awaited.insert(index->second);
            }
        }
    }
    return ends;
}

std::vector<std::uint32_t> difference(const std::set<std::uint32_t>& of,
                                      const std::set<std::uint32_t>& without) {
    std::vector<std::uint32_t> rest;
    std::ranges::set_difference(of, without, std::back_inserter(rest));
    return rest;
}

/// Words in which the two kernels differ.
struct Direction {
    const char* about;
    const char* prefix;  ///< of the names of tensors
    const char* before;  ///< that makes pages of a buffer usable
    const char* move;    ///< one page; {0} is the name, {1} the buffer
    const char* barrier;
    const char* after;
};
constexpr Direction kFeed{"Fills circular buffers with the pages of tensors, in order.",
                          "in",
                          "cb_reserve_back",
                          "noc_async_read_page(page, {0}, get_write_ptr({1}));",
                          "noc_async_read_barrier",
                          "cb_push_back"};
constexpr Direction kDrain{"Writes the pages of circular buffers to tensors, in order.",
                           "out",
                           "cb_wait_front",
                           "noc_async_write_page(page, {0}, get_read_ptr({1}));",
                           "noc_async_write_barrier",
                           "cb_pop_front"};

std::string kernel_of(const Direction& direction, const std::vector<std::uint32_t>& buffers) {
    std::string head;
    std::string before;
    std::string moves;
    std::string after;
    std::string offset = "0";
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        const std::string name = fmt::format("{}{}", direction.prefix, i);
        head += fmt::format(
            "    const uint32_t {0}_addr = get_arg_val<uint32_t>({1});\n"
            "    constexpr auto {0}_args = TensorAccessorArgs<{2}>();\n"
            "    const auto {0} = TensorAccessor({0}_args, {0}_addr);\n",
            name, i, offset);
        offset = name + "_args.next_compile_time_args_offset()";
        before += fmt::format("        {}({}, 1);\n", direction.before, buffers[i]);
        moves += "        " + fmt::format(fmt::runtime(direction.move), name, buffers[i]) + "\n";
        after += fmt::format("        {}({}, 1);\n", direction.after, buffers[i]);
    }
    return fmt::format(
        "// {}\n#include \"dataflow_api.h\"\n\nvoid kernel_main() {{\n{}"
        "    const uint32_t start_id = get_arg_val<uint32_t>({});\n"
        "    const uint32_t num_tiles = get_arg_val<uint32_t>({});\n\n"
        "    for (uint32_t page = start_id; page < start_id + num_tiles; ++page) {{\n"
        "{}{}        {}();\n{}    }}\n}}\n",
        direction.about, head, buffers.size(), buffers.size() + 1, before, moves, direction.barrier,
        after);
}

}  // namespace

std::vector<StandIn> stand_ins(const std::vector<KernelFile>& files,
                               const KernelOverrides& overrides) {
    const BufferIndices indices = buffer_indices(files, overrides);
    const Ends ends = ends_of(files, indices);
    std::vector<StandIn> kernels;
    const auto is_free = [&](Processor processor) {
        return std::ranges::find(files, processor, &KernelFile::processor) == files.end();
    };
    const auto fed = difference(ends.awaited, ends.filled);
    if (!fed.empty() && is_free(Processor::Riscv1)) {
        kernels.push_back({role_of(Processor::Riscv1), kernel_of(kFeed, fed)});
    }
    const auto drained = difference(ends.filled, ends.awaited);
    if (!drained.empty() && is_free(Processor::Riscv0)) {
        kernels.push_back({role_of(Processor::Riscv0), kernel_of(kDrain, drained)});
    }
    return kernels;
}

}  // namespace tessera::pipeline
