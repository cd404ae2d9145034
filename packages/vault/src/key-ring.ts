import { createSecretKey, type KeyObject } from 'node:crypto'
import { parseJson } from '@payments/contracts/grammar/json'
import { z } from 'zod'

/** Named secret keys of 32 bytes each, one of which is current. */
export type KeyRing = ReadonlyMap<string, KeyObject>

const keyBytes = 32
/** 32 random bytes have fewer distinct values than this with a probability of 10⁻¹⁵. */
const distinctBytesMin = 16

const namedKeys = z.record(z.string().regex(/^[\w.-]{1,64}$/), z.string())

/** JSON: id → base64 of 32 bytes. Rejects an empty ring, short keys and keys that look like a default. */
export const keyRing = z.string().transform((text, context): KeyRing => {
  const issue = (message: string) => context.addIssue({ code: 'custom', message })
  const named = namedKeys.safeParse(parseJson(text))
  if (!named.success) {
    issue('must be JSON: {"<id>": "<base64 of 32 bytes>"}')
    return z.NEVER
  }
  const keys = new Map<string, KeyObject>()
  for (const [id, encoded] of Object.entries(named.data)) {
    const bytes = Buffer.from(encoded, 'base64')
    const problem = findProblem(bytes)
    if (problem === undefined) keys.set(id, createSecretKey(bytes))
    else issue(`${id}: ${problem}`)
  }
  if (Object.keys(named.data).length === 0) issue('must have at least one key')
  return keys
})

function findProblem(bytes: Buffer): string | undefined {
  if (bytes.length !== keyBytes) return `must be base64 of ${keyBytes} bytes`
  const step = (bytes.readUInt8(1) - bytes.readUInt8(0)) & 0xff
  const isSequence = bytes.every((byte, i) => i === 0 || ((byte - bytes.readUInt8(i - 1)) & 0xff) === step)
  if (isSequence || new Set(bytes).size < distinctBytesMin) return 'looks like a default: use 32 random bytes'
  return undefined
}
