import { z } from 'zod'
import { parseJson } from '../grammar/json.ts'
import type { AuthorizationVersionReply } from './authorization-version.ts'

/**
 * The operation by which a gateway acquires or renews the authorization lease of a source. A call to api-key can also
 * report admitted requests. Each gateway sends it up to 20 times a second to each source, so a raw request listener
 * serves it, and a MAC authenticates it (docs/decisions/0008).
 */
export const authorizationLeaseOperation = 'acquireAuthorizationLease'
export const authorizationLeasePath = '/internal/authorization-lease'

export const leaseBounds = {
  /** 500 subjects have 64 KiB at most. */
  requestBytesMax: 96 * 1024,
  /** 1 000 invalidations and 500 subjects have 160 KiB at most. */
  replyBytesMax: 256 * 1024,
  subjectsMax: 500,
  subjectCharactersMax: 64,
  requestsPerSubjectMax: 1_000_000,
  perSecondMax: 1_000_000_000,
} as const

const invalidatedMax = 1_000
const leaseMsMax = 1_000
const epoch = z.int().min(0)
const shortText = z.string().min(1).max(100)

const reportedRequests = z.strictObject({
  subject: z.string().min(1).max(leaseBounds.subjectCharactersMax),
  requests: z.int().min(1).max(leaseBounds.requestsPerSubjectMax),
  per_second: z.int().min(1).max(leaseBounds.perSecondMax),
})

/** Requests that a gateway replica admitted and did not report before. */
const report = z.strictObject({ replica: z.guid(), requests: z.array(reportedRequests).max(leaseBounds.subjectsMax) })
export type RequestReport = z.output<typeof report>

const leaseRequest = z
  .strictObject({
    /** Requests a lease. `since`: the epoch that the gateway knows. */
    lease: z.strictObject({ since: epoch.optional() }).optional(),
    /** Of api-key only. */
    report: report.optional(),
  })
  .refine((request) => request.lease !== undefined || request.report !== undefined)
export type AuthorizationLeaseRequest = z.output<typeof leaseRequest>

/** The live gateway replicas, and the seconds until each bucket is full, in the order of the report. */
const requestCounts = z.object({
  replicas: z.int().min(1),
  full_in_seconds: z.array(z.number().min(0)).max(leaseBounds.subjectsMax),
})
export type RequestCounts = z.output<typeof requestCounts>

const versionReply: z.ZodType<AuthorizationVersionReply> = z.object({
  incarnation: shortText,
  epoch,
  invalidated: z
    .array(z.object({ kind: shortText, id: z.guid() }))
    .max(invalidatedMax)
    .nullable(),
  lease_ms: z.int().min(0).max(leaseMsMax),
  catalogue: shortText.optional(),
})

const leaseReply = z.object({
  /** Present if the request has `lease`. */
  lease: versionReply.optional(),
  /** Null if the requests of the report were not counted. Absent without a report, or if counting takes longer. */
  counts: requestCounts.nullable().optional(),
})
export type AuthorizationLeaseReply = z.output<typeof leaseReply>

/** Undefined for a body of another shape, or with another member. */
export const parseLeaseRequest = (body: string): AuthorizationLeaseRequest | undefined =>
  leaseRequest.safeParse(parseJson(body)).data

/** Undefined for a body of another shape. A member that this release does not know is ignored. */
export const parseLeaseReply = (body: string): AuthorizationLeaseReply | undefined =>
  leaseReply.safeParse(parseJson(body)).data
