// SPDX-License-Identifier: Apache-2.0
#include "ops/moe_dispatch_batched/moe_dispatch_batched.hpp"

namespace tessera::ops::moe_dispatch_batched {

using token_exchange::DispatchSpec;
using token_exchange::Form;

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<DispatchSpec>(token_exchange::kDispatchFields),
                        .rules =
                            [](const OpContext& context, RuleJudge& judge) {
                                token_exchange::judge_dispatch(context, Form::Batches, judge);
                            },
                        .infer =
                            [](const OpContext& context) {
                                return token_exchange::infer_dispatch(context, Form::Batches);
                            },
                        .workspaces = token_exchange::dispatch_workspaces,
                        .programs =
                            [](const OpContext& context) {
                                return token_exchange::dispatch_programs(context, Form::Batches);
                            },
                        .reference =
                            [](const ReferenceContext& context) {
                                return token_exchange::dispatch_reference(context, Form::Batches);
                            },
                        .check_values =
                            [](const ReferenceContext& context) {
                                token_exchange::check_ids(kSpec.name, context, 1,
                                                          context.params<DispatchSpec>().experts);
                            }};
    return kOp;
}

}  // namespace tessera::ops::moe_dispatch_batched
