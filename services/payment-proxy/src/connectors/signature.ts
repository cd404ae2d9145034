import { createHmac, timingSafeEqual } from 'node:crypto'

const toleranceMs = 5 * 60 * 1000

export function hmacSha256(secret: string, content: string | Buffer): Buffer {
  return createHmac('sha256', secret).update(content).digest()
}

/** Whether one of the signatures is the expected one. The comparison takes the same time for every signature. */
export function isSignedBy(expected: Buffer, signatures: readonly Buffer[]): boolean {
  return signatures.some((one) => one.length === expected.length && timingSafeEqual(one, expected))
}

/** Whether a timestamp in Unix seconds is at most five minutes away from the arrival. */
export function isRecent(timestamp: string | undefined, receivedAt: Date): boolean {
  if (timestamp === undefined || !/^\d{1,12}$/.test(timestamp)) return false
  return Math.abs(receivedAt.getTime() - Number(timestamp) * 1000) <= toleranceMs
}

/** The JSON of a provider, whose text may begin with a byte order mark. Undefined: it is none. */
export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8').replace(/^\ufeff/, ''))
  } catch {
    // No schema accepts undefined: the caller reports the body as unreadable.
    return undefined
  }
}
