import { z } from 'zod'
import { quarantineEndpoints, queueProblems } from '../../endpoints/quarantine.ts'
import { contract } from '../../grammar/contract.ts'
import { commaList, id, instant, queryInteger, text, uuid, windowQuery } from '../../grammar/field.ts'
import { page, pageQuery } from '../../grammar/page.ts'
import { defineProblems } from '../../grammar/problem.ts'
import { internalRoute, tenantRoute } from '../../grammar/route.ts'
import { chainEndpoints } from './chain.ts'
import { actorType, clientFilter, clientName, outcome, outcomes } from './fields.ts'
import { statisticsEndpoints } from './statistics.ts'

export const problems = defineProblems({
  ...queueProblems,
  chain_not_found: {
    status: 404,
    title: 'Audit chain not found',
    explanation: 'No record of this tenant is stored, or the chain has no seal with this number.',
  },
  audit_search_too_long: {
    status: 422,
    title: 'Search of audit records took too long',
    explanation: 'Too few records match among too many. Give a later `occurred_after`, or the `trace_id` of a request.',
  },
})

/**
 * Response header by which a service names the tenant of a request without a credential, for the audit record. The
 * gateway records and removes it.
 */
export const recordedTenantHeader = 'internal-recorded-tenant'
/** As the header of the tenant: the id of the user whose browser sent the request. */
export const recordedUserHeader = 'internal-recorded-user'

/** No bodies, no query, no secrets. */
export const auditRecord = z
  .object({
    id: uuid.describe('Identifier of the record.'),
    occurred_at: instant.describe('When the request arrived.'),
    trace_id: uuid.describe('Trace-ID of the request.'),
    tenant_id: uuid.nullable().describe('Tenant of the caller. Null without a valid credential.'),
    actor: z
      .object({
        type: actorType.describe('Kind of actor.'),
        id: z
          .string()
          .nullable()
          .describe('Identifier of the API key, user or operator. Null without a valid credential.'),
      })
      .describe('Sender of the request.'),
    client: clientName
      .nullable()
      .describe('Program with which a person sent the request. Null for API keys and JWTs of other issuers.'),
    method: z.string().nullable().describe('HTTP method. Null when the request could not be parsed.'),
    path: z.string().nullable().describe('Path without the query. Null when the request could not be parsed.'),
    operation: z.string().nullable().describe('Operation of the endpoint. Null for an unknown path.'),
    permission: z.string().nullable().describe('Permission that the operation requires.'),
    outcome: outcome.describe('`success`: 2xx, 3xx. `denied`: 401, 403, 429. `rejected`: other 4xx. `error`: 5xx.'),
    status: z.int().describe('HTTP status of the response.'),
    code: z.string().nullable().describe('Code of the problem. Null for a success.'),
    ip: z.string().describe('Address of the caller.'),
    user_agent: z.string().nullable().describe('User-Agent of the request.'),
    duration_ms: z.number().describe('Duration of the request in milliseconds.'),
    client_gone: z.boolean().describe('Whether the client left before its response was complete.'),
    count: z
      .int()
      .min(1)
      .describe('Number of requests that the record represents. More than 1 only for unauthenticated requests.'),
  })
  .meta({ id: 'AuditRecord', description: 'Actor, operation and outcome of a request. One record per request.' })

export type AuditRecord = z.output<typeof auditRecord>

const recordFilters = {
  actor_type: actorType.optional().describe('Only records of this kind of actor.'),
  actor_id: text(255).optional().describe('Only records of this actor.'),
  client: clientFilter
    .optional()
    .describe('Only records of these clients, separated by commas. `none`: requests without a client, as of API keys.'),
  operation: text(200).optional().describe('Only records of this operation.'),
  path_prefix: text(500).optional().describe('Only requests whose path begins with this text.'),
  outcome: commaList(outcomes).optional().describe('Only records with one of these outcomes, separated by commas.'),
  code: text(100).optional().describe('Only records with this problem code.'),
  status: queryInteger(100, 599).optional().describe('Only records with this HTTP status.'),
  trace_id: id.optional().describe('Only the records of this Trace-ID.'),
  ...windowQuery('occurred', 'requests that arrived'),
}

const recordQuery = pageQuery.extend({
  ...recordFilters,
  order: z.enum(['newest', 'oldest']).default('newest').describe('Records that come first.'),
})
export type RecordQuery = z.output<typeof recordQuery>

/**
 * One link of a tenant's chain: it vouches for the records from `from_position` to `to_position`, and for the link
 * before.
 */
export const seal = z.object({
  /** Of the form of what is sealed. */
  version: z.int(),
  /** Of the key of the HMAC, which the database does not hold. */
  key_id: z.string().nullable(),
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

const findingKinds = ['record_edited', 'record_removed', 'record_inserted', 'seal_rewritten', 'seal_removed'] as const

const finding = z.object({
  sequence: z.int(),
  kind: z.enum(findingKinds),
  detail: z.string(),
})

export type Finding = z.output<typeof finding>

export const audit = contract({
  service: 'audit',
  description: 'Audit records of every request.',
  problems,
  endpoints: {
    ...quarantineEndpoints,
    listRecords: {
      ...tenantRoute('GET', '/v1/audit/records', 'audit:ReadRecord'),
      summary: 'List the audit records of the tenant.',
      description: 'A record appears within seconds of its request.',
      query: recordQuery,
      replies: { 200: page(auditRecord) },
      problems: ['audit_search_too_long'],
    },
    ...chainEndpoints,
    ...statisticsEndpoints,
    inspectRecords: {
      ...internalRoute('GET', '/internal/chains/{tenant_id}/records', 'payctl'),
      summary: 'List the audit records of one tenant, or of no tenant, for operators.',
      params: chainParams,
      query: recordQuery,
      replies: { 200: page(auditRecord) },
    },
    /** The newest seal of each chain: stored elsewhere, it shows later that the chain was not rewritten. */
    listCheckpoints: {
      ...internalRoute('GET', '/internal/checkpoints', 'payctl'),
      summary: 'List the newest seal of every audit chain.',
      query: pageQuery,
      replies: { 200: page(seal) },
    },
    verifyChain: {
      ...internalRoute('GET', '/internal/chains/{tenant_id}/verification', 'payctl'),
      summary: 'Recompute a range of a chain from its records and report the differences.',
      params: chainParams,
      query: z.strictObject({
        /** The range begins after this seal, which is taken as good. */
        after_sequence: queryInteger(0, Number.MAX_SAFE_INTEGER).prefault(0),
      }),
      replies: {
        200: z.object({
          seals: z.array(z.object({ sequence: z.int(), hash: z.string() })),
          records_checked: z.int(),
          /** Seals whose records have been purged: nothing but their own link can be checked. */
          beyond_retention: z.int(),
          findings: z.array(finding),
          /** Start of the next range; null at the end of the chain. */
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
