import { commonProblems, Problem } from '@payments/contracts/problem'

/**
 * **What it does.** Limits the bytes of request bodies in memory, per credential, per tenant and in total. The
 * gateway reads a whole body before it takes an upstream connection, so unfinished bodies would otherwise fill its
 * memory.
 *
 * **Participants.** One reservation per body. A body with Content-Length reserves its bytes before it is read; a
 * chunked body reserves each chunk as the chunk arrives.
 *
 * **Guarantees.** The reserved bytes never exceed a limit. A reservation ends with its request.
 *
 * **Not guaranteed.** A single chunk is in memory before it is reserved.
 */
export interface BodyBudget {
  /** Maximum time to receive a body, from the start of reading, in milliseconds. */
  readonly deadlineMs: number
  reserve(sender: BodySender): BodyReservation
  /** Bytes that are reserved now. */
  bytes(): number
}

/** The sender of a body, as limits count it. */
export interface BodySender {
  readonly tenantId: string
  readonly actor: { readonly type: string; readonly id: string }
}

export interface BodyReservation {
  /**
   * Reserves bytes. Returns rate_limited at a limit of the caller, service_unavailable at the limit of the process.
   */
  grow(bytes: number): Problem | undefined
  /** Releases all bytes. Further calls have no effect. */
  release(): void
}

export interface BodyBudgetOptions {
  readonly deadlineMs?: number
  /** Maximum reserved bytes of one key or user. */
  readonly credentialBytesMax?: number
  /** Maximum reserved bytes of all credentials of a tenant. */
  readonly tenantBytesMax?: number
  /** Maximum reserved bytes of this process. */
  readonly totalBytesMax?: number
}

const mebibyte = 1024 * 1024
/** Enough for 16, 64 and 512 bodies of the maximum size. */
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
          if (!credentials.fits(credential, bytes)) return beyondShare('credential', credentialBytesMax)
          if (!tenants.fits(tenantId, bytes)) return beyondShare('tenant', tenantBytesMax)
          if (!total.fits('', bytes)) {
            const detail = 'The gateway has no memory for another request body'
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

function beyondShare(subject: 'credential' | 'tenant', bytesMax: number): Problem {
  const detail = `The ${subject} has reached its limit of ${bytesMax / mebibyte} MiB of request bodies in flight`
  return new Problem(commonProblems.rate_limited, { detail, retryAfterSeconds })
}

/** Counts bytes per subject. A subject without bytes takes no memory. */
function createTally(bytesMax: number) {
  const bytesOf = new Map<string, number>()
  return {
    bytes: (subject: string) => bytesOf.get(subject) ?? 0,
    fits: (subject: string, bytes: number) => (bytesOf.get(subject) ?? 0) + bytes <= bytesMax,
    add(subject: string, bytes: number) {
      const sum = (bytesOf.get(subject) ?? 0) + bytes
      if (sum === 0) bytesOf.delete(subject)
      else bytesOf.set(subject, sum)
    },
  }
}
