import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { addressOf } from '@payments/contracts/nouns/payer-erasure'
import { concerns, patternOf } from '@payments/payer-erasure/payer-data'
import fc from 'fast-check'
import { startWorld, type World } from './world.ts'

/** One rule of addresses in three forms: `addressOf`, the SQL function `payer_address`, the pattern of copies. */
let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

/** Characters between the digits of a phone number, also those that JSON escapes. */
const separator = fc.oneof(
  fc.constantFrom('', ' ', '-', '/', ' . ', '"', '\\', '\n', '\u0007', '\u00a0', 'ext', 'é'),
  fc.string({ unit: 'grapheme', maxLength: 5 }),
)
/** An address with an @ is one of a mailbox. */
const withoutDigits = separator.map((text) => text.replaceAll(/[+0-9@\0]/g, ''))

const phone = fc.stringMatching(/^[1-9][0-9]{6,14}$/).chain((digits) =>
  fc.array(withoutDigits, { minLength: digits.length + 1, maxLength: digits.length + 1 }).map((separators) => ({
    address: `+${digits}`,
    written: `+${separators.map((text, at) => text + (digits[at] ?? '')).join('')}`,
    name: 'phone',
  })),
)

const letters = (text: string, upper: readonly boolean[]) =>
  text
    .split('')
    .map((letter, at) => (upper[at % upper.length] === true ? letter.toUpperCase() : letter))
    .join('')

const mailbox = fc
  .record({
    local: fc.stringMatching(/^[a-z0-9_]([a-z0-9_.'-]{0,18}[a-z0-9_])?$/),
    domain: fc.stringMatching(/^[a-z0-9]{1,10}\.[a-z]{2,6}$/),
    tag: fc.option(fc.stringMatching(/^\+[a-z0-9+_.-]{0,10}$/), { nil: '' }),
    upper: fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
  })
  .map(({ local, domain, tag, upper }) => ({
    address: `${local}@${domain}`,
    written: letters(`${local}${tag}@${domain}`, upper),
    name: 'email',
  }))

test('every spelling of an address is found in columns and in stored copies', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(phone, mailbox), async ({ address, written, name }) => {
      const json = { customer_details: { [name]: written } }
      const [row] = await world.rows(
        `SELECT payer_address($1) AS address, lower($2::jsonb::text) ~ $3 AS found`,
        written,
        JSON.stringify(json),
        patternOf(address),
      )
      expect(row).toEqual({ address, found: true })
      expect([addressOf(written), concerns(json, address)]).toEqual([address, true])
    }),
    { numRuns: 300 },
  )
})
