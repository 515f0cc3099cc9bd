/* SPDX-License-Identifier: Apache-2.0 */
/* NODISCARD before a function whose result may be a failure: a caller that
   ignores it does not compile. GCC does not let (void) through: where there is
   nothing to do about a failure, a function with that name says why. */
#ifndef HAL_NODISCARD_H
#define HAL_NODISCARD_H

#define NODISCARD __attribute__((warn_unused_result))

#endif
