// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/expert_rows/counted_rows.hpp"

#include "emu/base/round_up.hpp"

namespace tessera::ops {

using expert_rows::CountedForm;

std::uint64_t CountedRows::table_bytes(std::uint32_t num_rows) const {
    // ByPresence reads the rows of the table that cover a core's rows: one partial row at each end.
    return form == CountedForm::ByPresence
               ? std::uint64_t{num_rows / table_width + 2} * table_stride
               : std::uint64_t{expert_rows::kCountStride} * batches;
}

expert_rows::CountedArgs CountedRows::args() const {
    return {.num_rows = rows,
            .num_batches = batches,
            .counted_by = static_cast<std::uint32_t>(form),
            .table_width = table_width,
            .table_stride = table_stride,
            .is_paged = is_paged ? 1U : 0U};
}

CountedRows counted_rows(const ArchSpec& arch, const Shape& shape, const TensorPlan* counts,
                         CountedBy counted_by) {
    CountedRows counted{.rows = num_rows(shape)};
    if (counts == nullptr) {
        // Without counts all rows are computed.
        return counted;
    }
    const Shape& table = counts->spec.shape;
    const bool by_batches = counted_by == CountedBy::Batches;
    counted.form = by_batches ? CountedForm::ByBatches : CountedForm::ByPresence;
    counted.batches = by_batches ? static_cast<std::uint32_t>(num_elements(table)) : 1;
    counted.table_width = row_length(table);
    // Rows of the table are read to aligned addresses, so a stride may exceed their width.
    counted.table_stride = round_up(4 * counted.table_width, dram_alignment(arch));
    counted.is_paged = is_paged(table);
    return counted;
}

void judge_counts(const CountedRows& rows, const TensorPlan* counts, RuleJudge& judge) {
    judge.require(
        rows.rows % rows.batches == 0, "counts",
        fmt::format("are {}; allowed: a divisor of the {} rows", rows.batches, rows.rows));
    judge.require(
        rows.form != CountedForm::ByPresence || num_elements(counts->spec.shape) == rows.rows,
        "counts", fmt::format("must have an entry for each of {} rows", rows.rows));
}

void check_counted(std::string_view op, const NamedTable& counts, std::uint32_t rows,
                   CountedBy counted_by) {
    if (counted_by == CountedBy::Batches) {
        check_batch_counts(op, counts, rows);
    }
}

std::vector<bool> counted_flags(std::uint32_t rows, const HostTensor& counts,
                                CountedBy counted_by) {
    if (counted_by == CountedBy::Batches) {
        return first_rows(rows, counts);
    }
    std::vector<bool> flags;
    for (const std::int32_t entry : counts.as<std::int32_t>()) {
        flags.push_back(entry != kNobody);
    }
    return flags;
}

}  // namespace tessera::ops
