// SPDX-License-Identifier: Apache-2.0
//
// Included before everything in a Verilated build (-include): it redirects the printed lines of a
// model to the context of this model, not to stdout.
#pragma once

#ifdef __cplusplus
extern "C++" void neardata_rtl_print(const char* format, ...) __attribute__((format(printf, 1, 2)));
#define VL_PRINTF neardata_rtl_print
#endif
