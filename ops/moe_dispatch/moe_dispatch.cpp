// SPDX-License-Identifier: Apache-2.0
#include "ops/moe_dispatch/moe_dispatch.hpp"

namespace tessera::ops::moe_dispatch {

using token_exchange::DispatchSpec;
using token_exchange::Form;

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<DispatchSpec>(token_exchange::kDispatchFields),
                        .rules =
                            [](const OpContext& context, RuleJudge& judge) {
                                token_exchange::judge_dispatch(context, Form::Rows, judge);
                            },
                        .infer =
                            [](const OpContext& context) {
                                return token_exchange::infer_dispatch(context, Form::Rows);
                            },
                        .workspaces = token_exchange::dispatch_workspaces,
                        .programs =
                            [](const OpContext& context) {
                                return token_exchange::dispatch_programs(context, Form::Rows);
                            },
                        .reference =
                            [](const ReferenceContext& context) {
                                return token_exchange::dispatch_reference(context, Form::Rows);
                            },
                        .check_values =
                            [](const ReferenceContext& context) {
                                token_exchange::check_ids(kSpec.name, context, 1,
                                                          context.params<DispatchSpec>().experts);
                            }};
    return kOp;
}

}  // namespace tessera::ops::moe_dispatch
