import { z } from 'zod'
import type { Endpoint } from '../../grammar/contract.ts'
import { instant } from '../../grammar/field.ts'
import { tenantRoute } from '../../grammar/route.ts'

const chain = z
  .object({
    record_count: z.int().min(0).describe('Number of records of the tenant, those beyond the retention included.'),
    sealed_count: z.int().min(0).describe('Number of records that are sealed. Records are sealed within seconds.'),
    sealed_at: instant.nullable().describe('When the last seal was computed. Null before the first one.'),
    last_verified_at: instant
      .nullable()
      .describe('When the platform last finished a verification of the whole chain. Null before the first one.'),
    last_verified_count: z.int().nullable().describe('Number of records that were sealed at the last verification.'),
    last_verification_findings: z
      .int()
      .nullable()
      .describe('Number of differences that the last verification found. 0: no record was changed.'),
  })
  .meta({ id: 'AuditChain', description: 'State of the hash chain of the audit records of a tenant.' })

export type Chain = z.output<typeof chain>

export const chainEndpoints = {
  readChain: {
    ...tenantRoute('GET', '/v1/audit/chain', 'audit:ReadRecord'),
    summary: 'Read how far the audit records of the tenant are sealed and verified.',
    description:
      'A seal vouches for a range of records and for the previous seal, so a record that is changed later disagrees with its seal. The platform verifies each chain about once a day.',
    replies: { 200: chain },
  },
} as const satisfies Record<string, Endpoint>
