# SPDX-License-Identifier: Apache-2.0
# The headers cover the vendor's API from 2024 on, so that every version a program asks for fits.
set(PACKAGE_VERSION "${PACKAGE_FIND_VERSION}")
set(PACKAGE_VERSION_COMPATIBLE TRUE)
