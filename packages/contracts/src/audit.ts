import { z } from 'zod'
import { contract } from './contract.ts'
import { id, instant, instantInput, text, uuid } from './field.ts'
import { page, pageQuery } from './page.ts'
import { defineProblems } from './problem.ts'

export const problems = defineProblems({
  chain_not_found: {
    status: 404,
    title: 'There is no such chain',
    explanation: 'No record of this tenant has been stored yet, or the place in the chain does not exist.',
  },
})

/** success: 2xx, 3xx · denied: 401, 403, 429 · rejected: any other 4xx · error: 5xx. */
export const outcomes = ['success', 'denied', 'rejected', 'error'] as const
export type Outcome = (typeof outcomes)[number]

const actorTypes = ['api_key', 'user', 'anonymous'] as const

/** What is kept of a request: who did what with which outcome. No bodies, no query, no secrets. */
export const auditRecord = z.object({
  id: uuid,
  /** When the request arrived. */
  occurred_at: instant,
  trace_id: uuid,
  /** Null until a credential has been found good, like the actor's id. */
  tenant_id: uuid.nullable(),
  actor: z.object({ type: z.enum(actorTypes), id: z.string().nullable() }),
  /** Null, like the path, where the request could not be read that far. */
  method: z.string().nullable(),
  path: z.string().nullable(),
  /** Null where the path is none of an endpoint. */
  operation: z.string().nullable(),
  permission: z.string().nullable(),
  outcome: z.enum(outcomes),
  status: z.int(),
  /** Of the problem that was answered. */
  code: z.string().nullable(),
  ip: z.string(),
  user_agent: z.string().nullable(),
  duration_ms: z.number(),
  /** Above 1: so many requests of one address without a valid credential, beyond its allowance and recorded as one. */
  count: z.int().min(1).default(1),
})

export type AuditRecord = z.output<typeof auditRecord>

const recordFilters = {
  actor_type: z.enum(actorTypes).optional(),
  actor_id: text(255).optional(),
  operation: text(200).optional(),
  outcome: z.enum(outcomes).optional(),
  status: z.coerce.number().int().min(100).max(599).optional(),
  trace_id: id.optional(),
  occurred_after: instantInput.optional(),
  occurred_before: instantInput.optional(),
}

const recordQuery = pageQuery.extend(recordFilters)
export type RecordQuery = z.output<typeof recordQuery>

/** One link of a tenant's chain: it vouches for the records from `from_position` to `to_position`, and for the link before. */
const seal = z.object({
  tenant_id: uuid.nullable(),
  /** 1, 2, 3, … within the chain. */
  sequence: z.int(),
  from_position: z.int(),
  to_position: z.int(),
  /** The day (UTC) on which its records were stored. */
  stored_on: z.iso.date(),
  digest: z.string(),
  previous_hash: z.string(),
  hash: z.string(),
  sealed_at: instant,
})

export type Seal = z.output<typeof seal>

/** A tenant's id, or `none` for the chain of the requests whose credential was not found good. */
const chainParams = z.strictObject({ tenant_id: z.union([z.literal('none'), id]) })

const finding = z.object({
  sequence: z.int(),
  kind: z.enum(['record_edited', 'record_removed', 'record_inserted', 'seal_rewritten', 'seal_removed']),
  detail: z.string(),
})

export type Finding = z.output<typeof finding>

export const audit = contract({
  service: 'audit',
  problems,
  endpoints: {
    listRecords: {
      method: 'GET',
      path: '/v1/audit/records',
      audience: 'tenant',
      permission: 'audit:ReadRecord',
      summary: 'List the audit records of the tenant, newest first. A record appears within seconds of its request.',
      query: recordQuery,
      replies: { 200: page(auditRecord) },
    },
    inspectRecords: {
      method: 'GET',
      path: '/internal/chains/{tenant_id}/records',
      audience: 'internal',
      summary: 'List the audit records of one tenant, or of no tenant, for operators.',
      params: chainParams,
      query: recordQuery,
      replies: { 200: page(auditRecord) },
    },
    /** The newest seal of each chain: kept elsewhere, it shows later that the chain was not rewritten. */
    listCheckpoints: {
      method: 'GET',
      path: '/internal/checkpoints',
      audience: 'internal',
      summary: 'List the newest seal of every chain.',
      query: pageQuery,
      replies: { 200: page(seal) },
    },
    verifyChain: {
      method: 'GET',
      path: '/internal/chains/{tenant_id}/verification',
      audience: 'internal',
      summary: 'Recompute a stretch of a chain from its records, and say what does not agree.',
      params: chainParams,
      query: z.strictObject({
        /** The stretch begins after this seal, which is taken as good. */
        after_sequence: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
      }),
      replies: {
        200: z.object({
          seals: z.array(z.object({ sequence: z.int(), hash: z.string() })),
          records_checked: z.int(),
          /** Seals whose records have been purged: nothing but their own link can be checked. */
          beyond_retention: z.int(),
          findings: z.array(finding),
          /** Where the next stretch begins; null at the end of the chain. */
          next_after_sequence: z.int().nullable(),
          /** Records stored and not sealed yet. */
          unsealed: z.int(),
        }),
      },
      problems: ['chain_not_found'],
    },
  },
  events: {},
})
