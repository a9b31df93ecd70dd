// SPDX-License-Identifier: Apache-2.0
// Includes all headers that a program outside of Tessera's tree needs (docs/library.md).
#pragma once

#include "tessera/errors.hpp"
#include "tessera/machine.hpp"
#include "tessera/number_view.hpp"
#include "tessera/program.hpp"
#include "tessera/report.hpp"
#include "tessera/session.hpp"
#include "tessera/tensor.hpp"
#include "tessera/tensor_compare.hpp"
#include "tessera/tensor_values.hpp"
#include "tessera/trace.hpp"
#include "tessera/trace_file.hpp"
#include "tessera/work_split.hpp"
