// SPDX-License-Identifier: Apache-2.0
#include "ops/moe_combine/moe_combine.hpp"

namespace tessera::ops::moe_combine {

using token_exchange::CombineSpec;
using token_exchange::Form;

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<CombineSpec>(token_exchange::kCombineFields),
                        .rules =
                            [](const OpContext& context, RuleJudge& judge) {
                                token_exchange::judge_combine(context, Form::Rows, judge);
                            },
                        .infer = token_exchange::infer_combine,
                        .workspaces =
                            [](const OpContext& context) {
                                return token_exchange::combine_workspaces(context, Form::Rows);
                            },
                        .programs =
                            [](const OpContext& context) {
                                return token_exchange::combine_programs(context, Form::Rows);
                            },
                        .reference =
                            [](const ReferenceContext& context) {
                                return token_exchange::combine_reference(context, Form::Rows);
                            }};
    return kOp;
}

}  // namespace tessera::ops::moe_combine
