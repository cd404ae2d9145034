import { z } from 'zod'
import { text } from '../../grammar/field.ts'

const keysMax = 20
const values = [text(1000), z.number(), z.boolean()] as const
const known =
  'Of `http`: `protocol_version`, 1 (default) or 2. Of `stripe`: `publishable_key`, with which the pay page has card fields; another key requires the credentials again.'

/** The settings of a payment orchestrator. */
export const settings = z
  .record(text(100), z.union(values))
  .refine((given) => Object.keys(given).length <= keysMax, `must have at most ${keysMax} keys`)
  .meta({ maxProperties: keysMax })
  .refine((given) => JSON.stringify(given).length <= 4096, 'must have at most 4096 characters as JSON')
  .describe(`Settings of the connector. ${known}`)

/** Removes each setting, and sets as many others. */
const changedKeysMax = 2 * keysMax

/** The given members change, and null removes one (RFC 7396). The result is `settings`. */
export const settingsChange = z
  .record(text(100), z.union([...values, z.null()]))
  .refine((given) => Object.keys(given).length <= changedKeysMax, `must have at most ${changedKeysMax} keys`)
  .meta({ maxProperties: changedKeysMax })
  .describe(
    `Settings of the connector to change. Null removes one. After the change, there are at most ${keysMax}, of 4096 characters as JSON. ${known}`,
  )
