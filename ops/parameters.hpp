// SPDX-License-Identifier: Apache-2.0
// Parameters of an op: a struct of its own, whose type no other code knows.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "emu/base/fields/field.hpp"

namespace tessera::ops {

/// Reference to the parameters of a call. It stores the type of its struct, because the code
/// between a run file and an op handles the structs of all ops.
class ParameterRef {
public:
    ParameterRef() = default;
    ParameterRef(std::nullptr_t) {}
    template <class P>
    requires(!std::is_void_v<P>) ParameterRef(const P* parameters)
        : object_(parameters), type_(&typeid(P)) {}

    /// Returns the struct.
    /// Errors   InternalError if the struct is not a P, or there is none.
    template <class P>
    [[nodiscard]] const P& as() const {
        require_type(typeid(P));
        return *static_cast<const P*>(object_);
    }
    /// Returns the struct as the rows of the op's table of fields take it; null without parameters.
    [[nodiscard]] const void* object() const { return object_; }

private:
    friend class ParameterSet;
    ParameterRef(const void* object, const std::type_info* type) : object_(object), type_(type) {}
    void require_type(const std::type_info& asked) const;

    const void* object_ = nullptr;
    const std::type_info* type_ = nullptr;
};

/// Owner of the parameters of a step, shared by its copies.
class ParameterSet {
public:
    ParameterSet() = default;
    template <class P>
    explicit ParameterSet(std::shared_ptr<P> parameters)
        : object_(std::move(parameters)), type_(&typeid(P)) {}

    [[nodiscard]] ParameterRef get() const { return {object_.get(), type_}; }
    /// Returns the struct for the rows of the op's table of fields, which fill it in.
    [[nodiscard]] void* object() { return object_.get(); }

private:
    std::shared_ptr<void> object_;
    const std::type_info* type_ = nullptr;
};

/// The parameters of an op: a struct of its own, bound through a table of fields.
struct Parameters {
    std::span<const config::Field> fields;
    /// Makes a struct of uninitialised parameters; fields set every member.
    ParameterSet (*make)() = nullptr;
};
template <class P>
[[nodiscard]] Parameters parameters(std::span<const config::Field> fields) {
    return {fields, [] { return ParameterSet(std::make_shared<P>()); }};
}
/// Parameters of ops without parameters.
struct NoParameters {};

}  // namespace tessera::ops
