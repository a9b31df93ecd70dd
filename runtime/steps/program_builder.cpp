// SPDX-License-Identifier: Apache-2.0
#include "runtime/steps/program_builder.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "tessera/work_split.hpp"

namespace tessera::pipeline {
namespace {

/// Cores of a program, and the number of units that each of them processes.
struct CoreWork {
    CoreRangeSet all;
    CoreRangeSet group_1;
    CoreRangeSet group_2;
    std::uint32_t per_core_1 = 0;
    std::uint32_t per_core_2 = 0;
    std::vector<CoreCoord> cores;  ///< in the split's order
};

/// Runs `act` and turns its UsageError into a mistake of `key`. CreateKernel and other functions do
/// not know YAML keys; without the key a message could not name a line of the run file.
template <class F>
auto with_key(const std::string& key, F act) {
    try {
        return act();
        // The innermost key is the most exact: "kernels[0].args", not "kernels[0]".
    } catch (const ProgramMistake&) {
        throw;
    } catch (const UsageError& error) {
        throw ProgramMistake(key, error.what());
    }
}

/// Splits the program's units over its grid, as tt-metal's host code does.
CoreWork split(const ProgramSpec& program, const ArchSpec& arch, const Scope& names) {
    const GridSize whole = arch.workers.compute;
    const GridSize grid = program.grid == GridSize{} ? whole : program.grid;
    require(program.first.x + grid.columns <= whole.columns &&
                program.first.y + grid.rows <= whole.rows,
            "a grid of [{}, {}] at {} exceeds the {}'s grid of [{}, {}]", grid.columns, grid.rows,
            to_string(program.first), arch.name, whole.columns, whole.rows);
    const CoreRange range(program.first,
                          {program.first.x + grid.columns - 1, program.first.y + grid.rows - 1});
    CoreWork work;
    // Without a split each core is in core_group_1 with no units.
    if (program.units.empty()) {
        work.all = CoreRangeSet(range);
        work.group_1 = work.all;
        work.cores = work.all.cores();
        return work;
    }
    // The split of tt-metal: the first cores have one unit more (core_group_1).
    const std::uint32_t units = with_key("cores.split_work_to_cores",
                                         [&] { return evaluate_count(program.units, names, 1); });
    const auto [num_cores, all, group_1, group_2, per_core_1, per_core_2] =
        split_work_to_cores(CoreRangeSet(range), units);
    work = {all, group_1, group_2, per_core_1, per_core_2, corerange_to_cores(all, num_cores)};
    return work;
}

/// Returns the cores of a kernel, buffer or semaphore. Group names are those of tt-metal's
/// split_work_to_cores.
CoreRangeSet chosen(const CoreChoice& choice, const CoreWork& work) {
    switch (choice.cores) {
        case ProgramCores::All:
            return work.all;
        case ProgramCores::Group1:
            return work.group_1;
        case ProgramCores::Group2:
            return work.group_2;
        case ProgramCores::Ranges:
            return CoreRangeSet(choice.ranges);
    }
    return {};
}

/// Builds the program of one device.
class ProgramBuilder {
public:
    ProgramBuilder(const ProgramSpec& spec, const ops::Op& op, const ops::OpContext& context,
                   std::size_t position, const Scope& params)
        : spec_(spec), op_(op), context_(context), position_(position), names_(&params) {
        // Order matters: units may use a tensor's extents, and arguments may use the split.
        name_measures();
        name_extents();
        name_coordinates();
        // Id in the mesh, not position in the group.
        names_.set("device", std::int64_t{context.devices[position]});
        work_ = with_key("cores", [&] { return split(spec, context.arch, names_); });
        names_.set("num_cores", static_cast<std::int64_t>(work_.cores.size()));
        names_.set("units_per_core_group_1", std::int64_t{work_.per_core_1});
        names_.set("units_per_core_group_2", std::int64_t{work_.per_core_2});
        names_.set("cores_in_group_1", std::int64_t{work_.group_1.num_cores()});
        names_.set("cores_in_group_2", std::int64_t{work_.group_2.num_cores()});
    }

    Program build() {
        Program program = CreateProgram();
        program.include_folders = spec_.include_folders;
        // Kernels come last: their arguments may name semaphores, whose ids are known by then.
        for (const ProgramBuffer& buffer : spec_.buffers) {
            with_key(fmt::format("cbs.{}", buffer.index), [&] { add_buffer(program, buffer); });
        }
        for (const ProgramSemaphore& semaphore : spec_.semaphores) {
            with_key("semaphores." + semaphore.name, [&] { add_semaphore(program, semaphore); });
        }
        for (std::size_t i = 0; i < spec_.kernels.size(); ++i) {
            const std::string key = fmt::format("kernels[{}]", i);
            with_key(key, [&] { add_kernel(program, spec_.kernels[i], key); });
        }
        return program;
    }

private:
    [[nodiscard]] const DeviceTensor& tensor(const std::string& name) const {
        const auto find = [&](const auto& operands, const auto& tensors) -> const DeviceTensor* {
            const auto found = std::ranges::find(operands, name, &ops::Operand::name);
            return found == operands.end()
                       ? nullptr
                       : &tensors[static_cast<std::size_t>(found - operands.begin())][position_];
        };
        const DeviceTensor* found = find(op_.spec.inputs, context_.device_inputs);
        found = found != nullptr ? found : find(op_.spec.outputs, context_.device_outputs);
        // Operands have the names of the step's tensors; tensors of other steps may be freed by
        // now.
        require(found != nullptr, "{} is not a tensor of the step", name);
        return *found;
    }

    void name_measures() {
        const auto of_tensor = [this](const char* function, auto measure) {
            names_.set_function(function, [this, function, measure](std::span<const Value> args) {
                require(args.size() == 1, "{} takes a tensor's name", function);
                return Value(static_cast<std::int64_t>(measure(tensor(show(args[0])))));
            });
        };
        of_tensor("address", [](const DeviceTensor& t) { return t.buffer.address; });
        of_tensor("pages", [](const DeviceTensor& t) { return t.buffer.num_pages; });
        of_tensor("page_size", [](const DeviceTensor& t) { return t.buffer.page_size; });
        of_tensor("aligned_page_size",
                  [](const DeviceTensor& t) { return t.buffer.aligned_page_size; });
        of_tensor("tiles", [](const DeviceTensor& t) {
            // 32x32 tiles of the shape, whatever the tensor's own layout: a tilizing kernel reads
            // rows and counts tiles.
            return TensorSpec{t.spec.shape, DataFormat::Float16_b, Layout::TILE}.num_pages();
        });
        of_tensor("columns", [](const DeviceTensor& t) { return t.spec.shape.back(); });
        of_tensor("rows", [](const DeviceTensor& t) {
            return num_elements(t.spec.shape) / t.spec.shape.back();
        });
    }

    void name_extents() {
        names_.set_function("extent", [this](std::span<const Value> args) {
            require(args.size() == 2 && std::holds_alternative<std::int64_t>(args[1]),
                    "extent takes a tensor's name and an axis");
            const Shape& shape = tensor(show(args[0])).spec.shape;
            const auto axis = static_cast<std::size_t>(std::get<std::int64_t>(args[1]));
            require(axis < shape.size(), "extent({}, {}): allowed axes are 0 to {}", show(args[0]),
                    axis, shape.size() - 1);
            return Value(std::int64_t{shape[axis]});
        });
    }

    void name_coordinates() {
        // Kernels address cores by virtual coordinates, in which harvested rows leave no gap. Run
        // files name logical ones.
        const CoreCoord origin = context_.arch.workers.virtual_origin;
        const auto coordinate = [this](const char* function, std::uint32_t first,
                                       std::uint32_t extent) {
            names_.set_function(function, [function, first, extent](std::span<const Value> args) {
                require(args.size() == 1 && std::holds_alternative<std::int64_t>(args[0]),
                        "{} takes a logical coordinate", function);
                const auto logical = std::get<std::int64_t>(args[0]);
                require(logical >= 0 && logical < std::int64_t{extent}, "{}({}): allowed: 0 to {}",
                        function, logical, extent - 1);
                return Value(logical + std::int64_t{first});
            });
        };
        const GridSize grid = context_.arch.workers.compute;
        coordinate("virtual_x", origin.x, grid.columns);
        coordinate("virtual_y", origin.y, grid.rows);
    }

    void add_semaphore(Program& program, const ProgramSemaphore& semaphore) {
        const std::uint32_t initial = evaluate_count(semaphore.initial, names_);
        const std::uint32_t id = CreateSemaphore(program, chosen(semaphore.cores, work_), initial);
        program.semaphores.back().name = semaphore.name;
        names_.set(semaphore.name, std::int64_t{id});
    }

    void add_buffer(Program& program, const ProgramBuffer& buffer) {
        const std::string key = fmt::format("cbs.{}", buffer.index);
        const std::uint32_t page = buffer.page_size.empty()
                                       ? buffer.tile.get_tile_size(buffer.format)
                                       : with_key(key + ".page_size", [&] {
                                             return evaluate_count(buffer.page_size, names_, 1);
                                         });
        const std::uint32_t pages =
            with_key(key + ".pages", [&] { return evaluate_count(buffer.pages, names_, 1); });
        // In 64 bits: the product of two counts may wrap around to a size that fits.
        require(std::uint64_t{pages} * page <= context_.arch.l1.size.value,
                "{} pages of {} B; a core has {} B of L1", pages, page,
                context_.arch.l1.size.value);
        CircularBufferConfig config(pages * page, {{buffer.index, buffer.format}});
        config.set_page_size(buffer.index, page).set_tile_dims(buffer.index, buffer.tile);
        // A CB on a shard has the address of its tensor and takes no memory of its own.
        if (!buffer.tensor.empty()) {
            config.set_globally_allocated_address(tensor(buffer.tensor).buffer);
        }
        CreateCircularBuffer(program, chosen(buffer.cores, work_), std::move(config));
    }

    /// Returns the tensor of "accessor(x)", or nothing for any other expression.
    static std::optional<std::string> accessed_tensor(const std::string& text) {
        constexpr std::string_view kAccessor = "accessor(";
        if (!text.starts_with(kAccessor) || !text.ends_with(')')) {
            return std::nullopt;
        }
        return text.substr(kAccessor.size(), text.size() - kAccessor.size() - 1);
    }

    /// Returns the words of compile-time arguments; "accessor(x)" gives all words of
    /// TensorAccessorArgs, whose number depends on the tensor's layout, so it is not a function of
    /// one value.
    std::vector<std::uint32_t> compile_words(const ProgramKernel& kernel,
                                             const std::string& key) const {
        return with_key(key + ".compile_args", [&] {
            std::vector<std::uint32_t> words;
            for (const std::string& text : kernel.compile_args) {
                if (const auto name = accessed_tensor(text)) {
                    TensorAccessorArgs(tensor(*name).buffer).append_to(words);
                } else {
                    words.push_back(evaluate_count(text, names_));
                }
            }
            return words;
        });
    }

    /// Returns the words of runtime arguments. TensorAccessorArgs<i> reads compile-time arguments
    /// alone, so a kernel could not use an accessor's words here.
    std::vector<std::uint32_t> runtime_words(std::span<const std::string> expressions,
                                             const Scope& names, const std::string& key) const {
        return with_key(key, [&] {
            std::vector<std::uint32_t> words;
            for (const std::string& text : expressions) {
                require(!accessed_tensor(text),
                        "{} gives compile-time arguments; allowed: in compile_args", text);
                words.push_back(evaluate_count(text, names));
            }
            return words;
        });
    }

    NamedCompileArgs named_words(const ProgramKernel& kernel, const std::string& key) const {
        NamedCompileArgs values;
        for (const auto& [name, text] : kernel.named_compile_args) {
            // A name of its own: clang 14 refuses to capture structured bindings.
            const std::string& expression = text;
            values[name] = with_key(fmt::format("{}.named_compile_args.{}", key, name),
                                    [&] { return evaluate_count(expression, names_); });
        }
        return values;
    }

    void add_kernel(Program& program, const ProgramKernel& kernel, const std::string& key) {
        const CoreRangeSet cores = chosen(kernel.cores, work_);
        if (cores.empty()) {
            return;  // core_group_2 is empty if the cores divide the units evenly
        }
        KernelConfig config;
        if (kernel.is_compute) {
            config = ComputeConfig{.math_fidelity = kernel.math_fidelity,
                                   .fp32_dest_acc_en = kernel.fp32_dest_acc,
                                   .math_approx_mode = kernel.math_approx_mode,
                                   .compile_args = compile_words(kernel, key),
                                   .defines = kernel.defines,
                                   .named_compile_args = named_words(kernel, key)};
        } else {
            config = DataMovementConfig{.processor = kernel.processor,
                                        .noc = kernel.noc,
                                        .compile_args = compile_words(kernel, key),
                                        .defines = kernel.defines,
                                        .named_compile_args = named_words(kernel, key)};
        }
        const KernelHandle handle = CreateKernel(program, kernel.path, cores, std::move(config));
        if (!kernel.common_args.empty()) {
            SetCommonRuntimeArgs(program, handle,
                                 runtime_words(kernel.common_args, names_, key + ".common_args"));
        }
        if (!kernel.args.empty()) {
            set_arguments(program, kernel, handle, cores, key + ".args");
        }
    }

    void set_arguments(Program& program, const ProgramKernel& kernel, KernelHandle handle,
                       const CoreRangeSet& cores, const std::string& key) {
        // split_work_to_cores gives core_group_1 first: `first` is the sum of the counts before a
        // core, also of cores on which this kernel does not run.
        std::uint32_t first = 0;
        for (std::size_t i = 0; i < work_.cores.size(); ++i) {
            const CoreCoord core = work_.cores[i];
            const bool is_second = work_.group_2.contains(core);
            const std::uint32_t count = is_second ? work_.per_core_2 : work_.per_core_1;
            Scope names(&names_);
            names.set("core.x", std::int64_t{core.x});
            names.set("core.y", std::int64_t{core.y});
            names.set("core.index", static_cast<std::int64_t>(i));
            names.set("core.first", std::int64_t{first});
            names.set("core.count", std::int64_t{count});
            names.set("core.group", std::int64_t{is_second ? 2 : 1});
            // A kernel of core_group_2 still counts the units of group 1 into `first`.
            if (cores.contains(core)) {
                SetRuntimeArgs(program, handle, core, runtime_words(kernel.args, names, key));
            }
            first += count;
        }
    }

    const ProgramSpec& spec_;
    const ops::Op& op_;
    const ops::OpContext& context_;
    std::size_t position_;
    Scope names_;
    CoreWork work_;
};

}  // namespace

Program build_program(const ProgramSpec& spec, const ops::Op& op, const ops::OpContext& context,
                      std::size_t position, const Scope& params) {
    return ProgramBuilder(spec, op, context, position, params).build();
}

}  // namespace tessera::pipeline
