import { z } from 'zod'
import type { Endpoint } from '../grammar/contract.ts'
import { id, tenantParams, uuid } from '../grammar/field.ts'
import { internalRoute } from '../grammar/route.ts'
import { payerRecipient } from '../nouns/payer-erasure.ts'

/**
 * The data that a service stores about one payer of a tenant, oldest first. The address is in the body: paths are in
 * audit records. The path is the same in every service.
 */

const exportBody = z.strictObject({
  recipient: payerRecipient,
  /** `next_after` of the previous page. */
  after: id.nullable().default(null),
  limit: z.int().min(1).max(200).default(100),
})

export type ExportQuery = z.output<typeof exportBody>

export const exportEndpoint = <const T extends z.ZodType>(item: T, summary: string) =>
  ({
    ...internalRoute('POST', '/internal/tenants/{tenant_id}/payers/export', 'payctl'),
    summary,
    params: tenantParams,
    body: exportBody,
    replies: { 200: z.object({ data: z.array(item), next_after: uuid.nullable() }) },
  }) as const satisfies Endpoint

/** A page may be empty, and not the last one. */
export interface Exported<T> {
  readonly data: T[]
  readonly next_after: string | null
}
