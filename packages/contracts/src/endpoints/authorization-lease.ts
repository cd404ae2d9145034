import { parseJson } from '../grammar/json.ts'
import type { AuthorizationVersionReply } from './authorization-version.ts'

/**
 * The operation by which a gateway acquires or renews the authorization lease of a source. A call to api-key can also
 * report admitted requests. Each gateway sends it up to 20 times a second to each source, so a raw request listener
 * serves it: both sides parse by hand, and a MAC authenticates it (docs/decisions/0008).
 */
export const authorizationLeaseOperation = 'acquireAuthorizationLease'
export const authorizationLeasePath = '/internal/authorization-lease'

export interface AuthorizationLeaseRequest {
  /** Requests a lease. `since`: the epoch that the gateway knows. */
  readonly lease?: { readonly since?: number }
  /** Of api-key only. */
  readonly report?: RequestReport
}

/** Requests that a gateway replica admitted and did not report before. */
export interface RequestReport {
  readonly replica: string
  readonly requests: readonly ReportedRequests[]
}

interface ReportedRequests {
  readonly subject: string
  readonly requests: number
  readonly per_second: number
}

export interface AuthorizationLeaseReply {
  /** Present if the request has `lease`. */
  readonly lease?: AuthorizationVersionReply
  /** Null if the requests of the report were not counted. Absent without a report, or if counting takes longer. */
  readonly counts?: RequestCounts | null
}

/** The live gateway replicas, and the seconds until each bucket is full, in the order of the report. */
export interface RequestCounts {
  readonly replicas: number
  readonly full_in_seconds: readonly number[]
}

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
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Undefined for a body of another shape, or with another member. */
export function parseLeaseRequest(body: string): AuthorizationLeaseRequest | undefined {
  const value = parseJson(body)
  if (!isObject(value) || !hasOnly(value, ['lease', 'report'])) return undefined
  const { lease, report } = value
  if (lease === undefined && report === undefined) return undefined
  if (lease !== undefined && !isLeaseRequest(lease)) return undefined
  if (report !== undefined && !isReport(report)) return undefined
  return value
}

/** Undefined for a body of another shape. A member that this release does not know is ignored. */
export function parseLeaseReply(body: string): AuthorizationLeaseReply | undefined {
  const value = parseJson(body)
  if (!isObject(value)) return undefined
  const { lease, counts } = value
  if (lease !== undefined && !isVersionReply(lease)) return undefined
  if (counts !== undefined && counts !== null && !isCounts(counts)) return undefined
  return value
}

type Members = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const hasOnly = (value: Members, names: readonly string[]) => Object.keys(value).every((name) => names.includes(name))

const isInteger = (value: unknown, min: number, max: number): value is number =>
  Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max

const isText = (value: unknown, charactersMax: number): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= charactersMax

const isUuid = (value: unknown): value is string => typeof value === 'string' && uuid.test(value)

function isLeaseRequest(value: unknown): value is AuthorizationLeaseRequest['lease'] {
  if (!isObject(value) || !hasOnly(value, ['since'])) return false
  return value['since'] === undefined || isInteger(value['since'], 0, Number.MAX_SAFE_INTEGER)
}

function isReport(value: unknown): value is RequestReport {
  if (!isObject(value) || !hasOnly(value, ['replica', 'requests'])) return false
  const { replica, requests } = value
  if (!isUuid(replica) || !Array.isArray(requests) || requests.length > leaseBounds.subjectsMax) return false
  return requests.every(isReported)
}

function isReported(value: unknown): value is ReportedRequests {
  if (!isObject(value) || !hasOnly(value, ['subject', 'requests', 'per_second'])) return false
  return (
    isText(value['subject'], leaseBounds.subjectCharactersMax) &&
    isInteger(value['requests'], 1, leaseBounds.requestsPerSubjectMax) &&
    isInteger(value['per_second'], 1, leaseBounds.perSecondMax)
  )
}

function isVersionReply(value: unknown): value is AuthorizationVersionReply {
  if (!isObject(value)) return false
  const { incarnation, epoch, invalidated, lease_ms: leaseMs, catalogue } = value
  return (
    isText(incarnation, 100) &&
    isInteger(epoch, 0, Number.MAX_SAFE_INTEGER) &&
    (invalidated === null || isInvalidated(invalidated)) &&
    isInteger(leaseMs, 0, leaseMsMax) &&
    (catalogue === undefined || isText(catalogue, 100))
  )
}

function isInvalidated(value: unknown): boolean {
  if (!Array.isArray(value) || value.length > invalidatedMax) return false
  return value.every((one: unknown) => isObject(one) && isText(one['kind'], 100) && isUuid(one['id']))
}

function isCounts(value: unknown): value is RequestCounts {
  if (!isObject(value)) return false
  const { replicas, full_in_seconds: fullIn } = value
  if (!isInteger(replicas, 1, Number.MAX_SAFE_INTEGER) || !Array.isArray(fullIn)) return false
  return fullIn.length <= leaseBounds.subjectsMax && fullIn.every((one) => Number.isFinite(one) && one >= 0)
}
