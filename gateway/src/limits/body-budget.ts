import { commonProblems, Problem } from '@payments/contracts/problem'
import type { Principal } from '../authorization/resolver.ts'

/**
 * Limits the bytes of request bodies that the gateway holds at once, per credential, per tenant and in all: the gateway
 * reads a whole body before it takes an upstream connection, so clients that never finish theirs would fill its memory.
 *
 * A body of announced length is reserved whole before it is read, one in chunks as its chunks arrive. A reservation lasts
 * until the request is over.
 */
export interface BodyBudget {
  /** How long a body may take to arrive, from when the gateway begins to read it, in milliseconds. */
  readonly deadlineMs: number
  reserve(principal: Pick<Principal, 'tenantId' | 'actor'>): BodyReservation
  /** Bytes reserved at the moment. */
  bytes(): number
}

export interface BodyReservation {
  /** Adds bytes. Returns the problem where they do not fit: rate_limited for the caller's own share, else service_unavailable. */
  grow(bytes: number): Problem | undefined
  /** Gives every byte back; further calls do nothing. */
  release(): void
}

export interface BodyBudgetOptions {
  readonly deadlineMs?: number
  /** Bytes held at once for one key or user. */
  readonly credentialBytesMax?: number
  /** Bytes held at once for all credentials of a tenant. */
  readonly tenantBytesMax?: number
  /** Bytes held at once by this process. */
  readonly totalBytesMax?: number
}

const mebibyte = 1024 * 1024
/** 16, 64 and 512 bodies of the largest size. */
const defaults = {
  deadlineMs: 10_000,
  credentialBytesMax: 4 * mebibyte,
  tenantBytesMax: 16 * mebibyte,
  totalBytesMax: 128 * mebibyte,
}
const retryAfterSeconds = 1

export function createBodyBudget(options: BodyBudgetOptions = {}): BodyBudget {
  const { deadlineMs, credentialBytesMax, tenantBytesMax, totalBytesMax } = { ...defaults, ...options }
  const credentials = createTally(credentialBytesMax)
  const tenants = createTally(tenantBytesMax)
  const total = createTally(totalBytesMax)
  return {
    deadlineMs,
    bytes: () => total.bytes(''),
    reserve({ tenantId, actor }) {
      const credential = `${tenantId} ${actor.type} ${actor.id}`
      let reserved = 0
      let isReleased = false
      const add = (bytes: number) => {
        reserved += bytes
        credentials.add(credential, bytes)
        tenants.add(tenantId, bytes)
        total.add('', bytes)
      }
      return {
        grow(bytes) {
          if (isReleased) return undefined
          if (!credentials.hasRoom(credential, bytes)) return ownShare('credential', credentialBytesMax)
          if (!tenants.hasRoom(tenantId, bytes)) return ownShare('tenant', tenantBytesMax)
          if (!total.hasRoom('', bytes)) {
            const detail = 'The gateway holds as many request bodies as it can'
            return new Problem(commonProblems.service_unavailable, { detail, retryAfterSeconds })
          }
          add(bytes)
          return undefined
        },
        release() {
          isReleased = true
          if (reserved > 0) add(-reserved)
        },
      }
    },
  }
}

function ownShare(whose: 'credential' | 'tenant', bytesMax: number): Problem {
  const detail = `Requests of the ${whose} may have ${bytesMax / mebibyte} MiB of bodies in flight at once`
  return new Problem(commonProblems.rate_limited, { detail, retryAfterSeconds })
}

/** Bytes per subject. A subject without bytes takes no memory. */
function createTally(bytesMax: number) {
  const held = new Map<string, number>()
  return {
    bytes: (subject: string) => held.get(subject) ?? 0,
    hasRoom: (subject: string, bytes: number) => (held.get(subject) ?? 0) + bytes <= bytesMax,
    add(subject: string, bytes: number) {
      const sum = (held.get(subject) ?? 0) + bytes
      if (sum === 0) held.delete(subject)
      else held.set(subject, sum)
    },
  }
}
