import { randomFillSync } from 'node:crypto'
import { formatUuid } from '@payments/contracts/grammar/field'
import { v7 } from 'uuid'

/**
 * A new UUID v7. Ids sort by creation time, ids of one process also within a millisecond and while its clock is up to
 * `putBackMsMax` behind. So lists need no other order.
 */
export function newId(): string {
  const now = Date.now()
  const random = nextRandom()
  if (now > last.msecs || now < last.msecs - putBackMsMax) {
    last.msecs = now
    last.seq = random.readUInt32BE(6) & 0x7fffffff
  } else {
    last.seq = (last.seq + 1) | 0
    if (last.seq === 0) last.msecs += 1
  }
  return v7({ ...last, random })
}

/**
 * The time and the count of the last id, as `v7` itself counts. `v7` without options reads random bytes for each id,
 * which costs five times as much as all else.
 */
const last = { msecs: Number.NEGATIVE_INFINITY, seq: 0 }

/** A clock that is put back further is followed: `timeOfId` reads the time of an id. */
const putBackMsMax = 1_000

const randomBytes = 16
const pool = Buffer.alloc(256 * randomBytes)
let taken = pool.length

/** 16 random bytes that no other id gets. */
function nextRandom(): Buffer {
  if (taken === pool.length) {
    randomFillSync(pool)
    taken = 0
  }
  taken += randomBytes
  return pool.subarray(taken - randomBytes, taken)
}

/** Ids that are created at `time` or later are not below it. */
export const firstIdAt = (time: Date): string => v7({ msecs: time.getTime(), seq: 0, random: new Uint8Array(16) })

/** When a UUID v7 was created. */
export const timeOfId = (id: string): Date => new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16))

const digitsOfId = 32

/** The first and the last id that begin with the text, in any case. Null for a text that begins no id. */
export function idsThatBeginWith(text: string): { readonly first: string; readonly last: string } | null {
  const digits = text.toLowerCase().replaceAll('-', '')
  if (!/^[0-9a-f]{1,32}$/.test(digits)) return null
  return { first: formatUuid(digits.padEnd(digitsOfId, '0')), last: formatUuid(digits.padEnd(digitsOfId, 'f')) }
}
