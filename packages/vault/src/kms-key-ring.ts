import { json } from '@payments/chassis/base/config'
import { z } from 'zod'

/** ARNs of symmetric keys of AWS KMS, by the id under which data keys name them. */
export type KmsKeyRing = ReadonlyMap<string, string>

const keysMax = 16
/** Of a key, not of an alias: an alias that moves to another key would leave data keys that cannot be unwrapped. */
const keyArn = /^arn:aws[a-z-]*:kms:([a-z]{2}[a-z0-9-]*-\d):\d{12}:key\/[\w-]{1,64}$/
const expected = 'must be the ARN of a key, e.g. arn:aws:kms:eu-central-1:111122223333:key/…, not of an alias'

const arnsById = z.record(z.string().regex(/^[\w.-]{1,64}$/), z.string())

/** JSON: id → ARN of a key. Rejects an empty ring and ARNs of anything else. */
export const kmsKeyRing = json(arnsById).transform((arns, context): KmsKeyRing => {
  const entries = Object.entries(arns)
  const issues = entries.filter(([, arn]) => !keyArn.test(arn)).map(([id]) => `${id}: ${expected}`)
  if (entries.length === 0) issues.push('must have at least one key')
  if (entries.length > keysMax) issues.push(`must have at most ${keysMax} keys`)
  for (const message of issues) context.addIssue({ code: 'custom', message })
  return issues.length === 0 ? new Map(entries) : z.NEVER
})

export function readRegion(arn: string): string {
  const region = keyArn.exec(arn)?.[1]
  if (region === undefined) throw new Error(`no ARN of a key: ${arn}`)
  return region
}
