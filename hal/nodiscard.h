/* SPDX-License-Identifier: Apache-2.0 */
/* NODISCARD marks a function whose result may be a failure: a caller that
   ignores the result does not compile. */
#ifndef HAL_NODISCARD_H
#define HAL_NODISCARD_H

#define NODISCARD __attribute__((warn_unused_result))

#endif
