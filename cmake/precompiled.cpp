// SPDX-License-Identifier: Apache-2.0
// The one source of each group of precompiled headers (TesseraTargets.cmake).
