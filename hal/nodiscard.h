/* SPDX-License-Identifier: Apache-2.0 */
/* NODISCARD marks a function whose result may be a failure: a caller that
   ignores the result does not compile, not even with a cast to void. A caller
   that can do nothing about a failure calls a helper whose name says why. */
#ifndef HAL_NODISCARD_H
#define HAL_NODISCARD_H

#define NODISCARD __attribute__((warn_unused_result))

#endif
