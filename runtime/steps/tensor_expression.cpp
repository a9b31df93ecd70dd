// SPDX-License-Identifier: Apache-2.0
#include "runtime/steps/tensor_expression.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include "emu/base/fields/nearest.hpp"
#include "runtime/steps/expression.hpp"
#include "runtime/steps/value_array.hpp"
#include "tessera/errors.hpp"

namespace tessera::pipeline {
namespace {

struct NamedFunction {
    std::string_view name;
    double (*apply)(double);
};
// Functions of the op eltwise, from the table that also gives its reference: an expression and the
// op cannot disagree about a function.
constexpr std::array kTensorFunctions{
#define SFPU_CHOICE(call, Word, shape, options, routine, constants, yaml, domain, arguments, \
                    reference)                                                               \
    NamedFunction{#yaml, [](double a) -> double { return reference; }},
#include "tessera/kernel/compute/sfpu_table.inc"
};
constexpr std::array<std::string_view, 5> kArrayFunctions{"max", "mean", "min", "sum", "transpose"};

/// Parses the text and computes in one pass. `check` has no values yet: with `describe` alone it
/// computes shapes, and without both it only collects names.
class Reader {
public:
    Reader(std::string_view text, const ReadTensor* read, const DescribeTensor* describe)
        : text_(text), read_(read), describe_(describe) {}

    ValueArray run() {
        ValueArray result = sum();
        skip_blanks();
        if (at_ != text_.size()) {
            refuse(fmt::format("'{}' is not understood", text_.substr(at_)));
        }
        return result;
    }
    [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }

private:
    [[noreturn]] void refuse(const std::string& what) const {
        throw UsageError(fmt::format("'{}': {}", shortened(text_), what));
    }
    void skip_blanks() {
        while (at_ < text_.size() && text_[at_] == ' ') {
            ++at_;
        }
    }
    bool take(char sign) {
        skip_blanks();
        if (at_ == text_.size() || text_[at_] != sign) {
            return false;
        }
        ++at_;
        return true;
    }
    void expect(char sign) {
        if (!take(sign)) {
            refuse(fmt::format("'{}' is missing", sign));
        }
    }

    ValueArray sum() {
        ValueArray left = product();
        for (;;) {
            if (take('+')) {
                left = zip(left, product(), [](double a, double b) { return a + b; });
            } else if (take('-')) {
                left = zip(left, product(), [](double a, double b) { return a - b; });
            } else {
                return left;
            }
        }
    }
    ValueArray product() {
        ValueArray left = factor();
        for (;;) {
            if (take('*')) {
                left = zip(left, factor(), [](double a, double b) { return a * b; });
            } else if (take('/')) {
                left = zip(left, factor(), [](double a, double b) { return a / b; });
            } else if (take('@')) {
                left = matrix_product(left, factor());
            } else {
                return left;
            }
        }
    }
    // Each level takes a few recursion frames, and run files may come from any source.
    ValueArray factor() {
        constexpr std::uint32_t kDeepestNesting = 64;
        if (++depth_ > kDeepestNesting) {
            refuse(fmt::format("is nested too deeply, allowed: {} levels", kDeepestNesting));
        }
        ValueArray array = factor_at_depth();
        --depth_;
        return array;
    }
    ValueArray factor_at_depth() {
        if (take('-')) {
            return map(factor(), [](double x) { return -x; });
        }
        if (take('(')) {
            ValueArray inner = sum();
            expect(')');
            return inner;
        }
        skip_blanks();
        if (at_ == text_.size()) {
            refuse("a tensor or a number is missing at the end");
        }
        return std::isdigit(static_cast<unsigned char>(text_[at_])) != 0 ? number() : word();
    }
    ValueArray number() {
        double value = 0;
        const auto [rest, error] =
            std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
        // from_chars reports only a range error here: the first letter is a digit.
        if (error != std::errc{}) {
            refuse("a number is out of range");
        }
        at_ = static_cast<std::size_t>(rest - text_.data());
        return {{}, {value}};
    }
    ValueArray word() {
        const std::size_t first = at_;
        while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                      text_[at_] == '_' || text_[at_] == '.')) {
            ++at_;
        }
        const std::string name(text_.substr(first, at_ - first));
        if (name.empty()) {
            refuse(fmt::format("'{}' is not understood", text_.substr(at_)));
        }
        if (take('(')) {
            return call(name);
        }
        if (std::ranges::find(names_, name) == names_.end()) {
            names_.push_back(name);
        }
        if (describe_ != nullptr) {
            const TensorSpec spec = found((*describe_)(name), name);
            require_supported(spec.format);
            return {spec.shape, {}};
        }
        return read_ == nullptr ? ValueArray{} : to_array(found((*read_)(name), name));
    }
    template <class T>
    T found(std::optional<T> tensor, const std::string& name) const {
        if (!tensor) {
            refuse(name + " is not an input of the step");
        }
        return *std::move(tensor);
    }
    ValueArray call(const std::string& name) {
        std::vector<ValueArray> arguments{sum()};
        while (take(',')) {
            arguments.push_back(sum());
        }
        expect(')');
        const auto function = std::ranges::find(kTensorFunctions, name, &NamedFunction::name);
        if (function != kTensorFunctions.end()) {
            check_arguments(name, arguments, 1);
            return map(std::move(arguments[0]), function->apply);
        }
        if (name == "max" || name == "min") {
            check_arguments(name, arguments, 2);
            return zip(arguments[0], arguments[1], [&](double a, double b) {
                return name == "max" ? std::max(a, b) : std::min(a, b);
            });
        }
        if (std::ranges::find(kArrayFunctions, name) == kArrayFunctions.end()) {
            std::vector<std::string> known(kArrayFunctions.begin(), kArrayFunctions.end());
            for (const NamedFunction& row : kTensorFunctions) {
                known.emplace_back(row.name);
            }
            refuse(fmt::format("unknown function {}, {}", name, config::correction(name, known)));
        }
        check_arguments(name, arguments, 1);
        return name == "transpose" ? transposed(arguments[0])
                                   : over_last_axis(arguments[0], name == "mean");
    }
    void check_arguments(const std::string& name, const std::vector<ValueArray>& arguments,
                         std::size_t wanted) const {
        if (arguments.size() != wanted) {
            refuse(fmt::format("{} takes {} arguments, found {}", name, wanted, arguments.size()));
        }
    }

    template <class F>
    static ValueArray map(ValueArray array, F function) {
        for (double& value : array.values) {
            value = function(value);
        }
        return array;
    }

    // While names are collected there are no shapes, so nothing is checked against them.
    [[nodiscard]] bool has_shapes() const { return read_ != nullptr || describe_ != nullptr; }
    [[nodiscard]] ValueArray array_of(Shape shape) const {
        const std::size_t size = read_ == nullptr ? 0 : num_elements(shape);
        return {std::move(shape), std::vector<double>(size)};
    }

    Shape broadcast(const Shape& a, const Shape& b, std::size_t skipped) const {
        Shape shape(std::max(a.size(), b.size()));
        for (std::size_t back = skipped; back < shape.size(); ++back) {
            const std::size_t x = extent_from_end(a, back);
            const std::size_t y = extent_from_end(b, back);
            if (x != y && x != 1 && y != 1) {
                refuse(fmt::format("shapes {} and {} cannot be broadcast", to_string(a),
                                   to_string(b)));
            }
            shape[shape.size() - 1 - back] = static_cast<std::uint32_t>(std::max(x, y));
        }
        return shape;
    }
    template <class F>
    ValueArray zip(const ValueArray& a, const ValueArray& b, F function) const {
        const Shape shape = broadcast(a.shape, b.shape, 0);
        ValueArray result = array_of(shape);
        // Most operands have equal shapes; source_of() divides for each axis of each element.
        const bool is_plain = a.shape == b.shape;
        for (std::size_t i = 0; i < result.values.size(); ++i) {
            result.values[i] = function(a.values[is_plain ? i : source_of(a.shape, shape, i)],
                                        b.values[is_plain ? i : source_of(b.shape, shape, i)]);
        }
        return result;
    }

    static Shape without_matrix(Shape shape) {
        shape.resize(shape.size() - 2);
        return shape;
    }
    ValueArray matrix_product(const ValueArray& a, const ValueArray& b) const {
        if (!has_shapes()) {
            return a;
        }
        if (a.shape.size() < 2 || b.shape.size() < 2 ||
            a.shape.back() != b.shape[b.shape.size() - 2]) {
            refuse(fmt::format("{} @ {}: columns of the left must equal rows of the right",
                               to_string(a.shape), to_string(b.shape)));
        }
        const std::size_t rows = a.shape[a.shape.size() - 2];
        const std::size_t inner = a.shape.back();
        const std::size_t columns = b.shape.back();
        // The last two axes are the matrices' own; only those before them are broadcast.
        Shape shape = broadcast(a.shape, b.shape, 2);
        shape[shape.size() - 2] = static_cast<std::uint32_t>(rows);
        shape.back() = static_cast<std::uint32_t>(columns);
        ValueArray result = array_of(shape);
        const std::size_t matrices = result.values.size() / (rows * columns);
        const Shape stack = without_matrix(shape);
        const Shape a_stack = without_matrix(a.shape);
        const Shape b_stack = without_matrix(b.shape);
        for (std::size_t m = 0; m < matrices; ++m) {
            add_product(a.values.data() + source_of(a_stack, stack, m) * rows * inner,
                        b.values.data() + source_of(b_stack, stack, m) * inner * columns,
                        {rows, inner, columns}, result.values.data() + m * rows * columns);
        }
        return result;
    }
    /// Sums or averages the last axis, which keeps extent 1 so that the result broadcasts back.
    ValueArray over_last_axis(const ValueArray& a, bool is_mean) const {
        if (a.shape.empty()) {
            return a;
        }
        const std::size_t extent = a.shape.back();
        Shape shape = a.shape;
        shape.back() = 1;
        ValueArray result = array_of(std::move(shape));
        for (std::size_t i = 0; i < a.values.size(); ++i) {
            result.values[i / extent] += a.values[i] / (is_mean ? static_cast<double>(extent) : 1);
        }
        return result;
    }
    ValueArray transposed(const ValueArray& a) const {
        if (!has_shapes()) {
            return a;
        }
        if (a.shape.size() < 2) {
            refuse(
                fmt::format("transpose of shape {}; allowed: at least 2 axes", to_string(a.shape)));
        }
        ValueArray result = a;
        const std::size_t rows = a.shape[a.shape.size() - 2];
        const std::size_t columns = a.shape.back();
        std::swap(result.shape[a.shape.size() - 2], result.shape.back());
        for (std::size_t i = 0; i < a.values.size(); ++i) {
            const std::size_t matrix = i / (rows * columns) * rows * columns;
            const std::size_t row = i % (rows * columns) / columns;
            result.values[matrix + i % columns * rows + row] = a.values[i];
        }
        return result;
    }

    std::string_view text_;
    const ReadTensor* read_;
    const DescribeTensor* describe_;
    std::size_t at_ = 0;
    std::uint32_t depth_ = 0;
    std::vector<std::string> names_;
};

}  // namespace

HostTensor evaluate_tensors(std::string_view text, const ReadTensor& read) {
    const ValueArray array = Reader(text, &read, nullptr).run();
    // float32 rounds a reference by 2^-24, far below any tolerance.
    HostTensor tensor = make_host_tensor(array.shape, DataFormat::Float32);
    std::ranges::transform(array.values, tensor.as<float>().begin(),
                           [](double value) { return static_cast<float>(value); });
    return tensor;
}

Shape shape_of_expression(std::string_view text, const DescribeTensor& describe) {
    return Reader(text, nullptr, &describe).run().shape;
}

std::vector<std::string> tensor_names(std::string_view text) {
    Reader reader(text, nullptr, nullptr);
    (void)reader.run();
    return reader.names();
}

}  // namespace tessera::pipeline
