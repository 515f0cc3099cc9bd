/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/prove.h"

#include "scatter/engine/merge.h"
#include "scatter/wire/proof.h"

void prove_run(struct scatter *scatter, const struct kernel_result *result)
{
    const struct kernel_range *range = &scatter->range;
    uint64_t bytes = kernel_range_bytes(range);

    scatter->run_sum = proof_range(range, &scatter->terms);
    if (result->output != NULL) {
        bytes += result->output_bytes;
        scatter->run_sum += proof_output(scatter->first_unit, result->output,
                                         result->output_bytes);
    }
    clock_account(scatter->circuit->clock,
                  bytes * PROOF_INSTRUCTIONS_16 *
                      (scatter->costs->instruction_ps / 16u));
}

int prove_merge(struct scatter *scatter, const struct kernel_result *next)
{
    struct kernel_result *result = &scatter->result;
    uint64_t damage =
        scatter->proof ^ proof_bytes(0, result->data, result->bytes);
    int error = scatter_merge(scatter, next);

    scatter->proof = damage ^ proof_bytes(0, result->data, result->bytes);
    return error;
}

int prove_keep(struct scatter *scatter, const struct kernel_result *result)
{
    scatter->sum += scatter->run_sum;
    if (scatter->has_result) {
        return prove_merge(scatter, result);
    }
    scatter->result = *result;
    scatter->proof = proof_bytes(0, result->data, result->bytes);
    scatter->has_result = true;
    return ERR_OK;
}

void prove_argument(struct scatter *scatter)
{
    const struct wire_announce *announced = &scatter->announced;

    scatter->proof_argument =
        proof_bytes(0, announced->arg, announced->arg_bytes);
}

/* Returns the proof of a message without the argument's. `result`: that of its
   result. */
static uint64_t proof_head(const struct wire_result *head, uint64_t result)
{
    return result ^ head->units ^ head->bytes ^ (uint32_t)head->number << 16;
}

bool prove_holds(const struct scatter *scatter, const struct wire_result *head,
                 const struct kernel_result *next, const uint8_t *proof)
{
    uint64_t result = proof_bytes(0, next->data, next->bytes);

    return bytes_load_u64(proof + 8) ==
           (proof_head(head, result) ^ scatter->proof_argument);
}

void prove_store(const struct scatter *scatter, uint8_t *out, uint64_t proof)
{
    bytes_store_u64(out, scatter->sum);
    bytes_store_u64(out + 8, proof ^ scatter->proof_argument);
}

void prove_result(struct scatter *scatter, uint8_t *out)
{
    prove_argument(scatter);
    prove_store(scatter, out,
                proof_head(&scatter->memory->head, scatter->proof));
}
