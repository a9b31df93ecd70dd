// SPDX-License-Identifier: Apache-2.0
// Reads from the text of a kernel which arguments, circular buffers and tensors it uses. A kernel
// is not compiled for this: its arguments have to be known before it can be.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tessera/program.hpp"

namespace tessera::pipeline {

/// Kind of an argument that a kernel reads.
enum class ArgumentKind : std::uint8_t { Runtime, Common, CompileTime, NamedCompileTime };

/// An argument that the text reads.
struct KernelArgument {
    ArgumentKind kind = ArgumentKind::Runtime;
    std::uint32_t index = 0;  ///< of arguments without a name
    std::string name;         ///< of NamedCompileTime
    std::string variable;     ///< that it initialises; empty: none
    std::uint32_t line = 0;

    /// Returns "arg 3", "compile_arg 0", … : how the other parts of KernelText refer to it.
    [[nodiscard]] std::string key() const;
    friend bool operator==(const KernelArgument&, const KernelArgument&) = default;
};

/// `TensorAccessorArgs<…>` of a kernel: compile-time arguments from `first` on.
struct KernelAccessor {
    std::string variable;
    std::optional<std::uint32_t> first;  ///< none: follows `after`
    std::string after;                   ///< variable of the accessor before; empty: unknown
    std::string address;                 ///< key of the argument with its tensor's address
    std::uint32_t line = 0;
};

/// A circular buffer that a kernel uses.
struct KernelBuffer {
    std::string index;  ///< a number, or the key of the argument that holds it
    bool is_pushed = false;
    bool is_awaited = false;
    std::vector<std::string> counts;  ///< pages of each reserve, push, wait and pop, as written
    std::uint32_t line = 0;
};

/// A NoC read or write, with the keys of all arguments and the buffers that its operands use.
struct KernelTransfer {
    bool is_write = false;
    std::set<std::string> arguments;
    std::set<std::string> buffers;
};

/// Facts in the text of a kernel, in the order of the text.
struct KernelText {
    std::vector<KernelArgument> arguments;
    std::vector<KernelAccessor> accessors;
    std::vector<KernelBuffer> buffers;
    std::vector<KernelTransfer> transfers;
    std::set<std::string> addresses;            ///< keys of arguments that are a tensor's address
    std::map<std::string, std::string> values;  ///< variables, and what initialises them
    std::set<std::string> words;                ///< all identifiers
    std::vector<std::uint32_t> unclear;         ///< lines that read an argument at an unknown index
};

/// Scans a kernel. Comments, and branches of #if that `defines` exclude, are left out.
[[nodiscard]] KernelText scan_kernel(const std::string& text, const Defines& defines);

}  // namespace tessera::pipeline
