import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { listStoredAddresses, storedAddress } from '@payments/chassis/database/stored-address'
import { normalizeAddress } from '@payments/contracts/nouns/payer-erasure'
import fc from 'fast-check'
import { startWorld, type World } from './world.ts'

/** One rule of addresses in two forms: `normalizeAddress` and the SQL function `payer_address`. */
let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

/** Characters between the digits of a phone number. */
const separator = fc.oneof(
  fc.constantFrom('', ' ', '-', '/', ' . ', '"', '\\', '\n', '\u0007', '\u00a0', '(0)', '\u{1f4de}'),
  fc.string({ unit: 'grapheme', maxLength: 5 }),
)
/** A letter or a sign begins an extension, a slash may, and an address with an @ is one of a mailbox. */
const betweenDigits = separator.map((text) =>
  text === '(0)' ? text : text.replaceAll(/[+0-9@\0/()A-Za-z#;\u00c0-\u1fff\u3040-\ud7ff]/g, ''),
)
const extension = fc.oneof(
  fc.constant(''),
  fc.stringMatching(/^ (ext\. |x|#|;ext=|доб\. |Ö)[0-9]{1,6}$/),
  fc.stringMatching(/^ ?\/ ?[0-9]{0,2} ?[0-9]?$/),
)

const phone = fc
  .record({
    digits: fc.stringMatching(/^[1-9][0-9]{6,14}$/),
    label: fc.constantFrom('', '(', 'Tel. ', 'é: '),
    country: fc.constantFrom('+', '00', '0 0', '+ '),
    separators: fc.array(betweenDigits, { minLength: 15, maxLength: 15 }),
    slash: fc.boolean(),
    extension,
  })
  .map(({ digits, label, country, separators, slash, extension }) => {
    const between = (at: number) => (at < digits.length - 1 ? separators[at] : '')
    const number = digits
      .split('')
      .map((digit, at) => `${digit}${between(at)}${slash && at === 2 ? '/' : ''}`)
      .join('')
    return { address: `+${digits}`, written: `${label}${country}${number}${extension}` }
  })

const letters = (text: string, upper: readonly boolean[]) =>
  text
    .split('')
    .map((letter, at) => (upper[at % upper.length] === true ? letter.toUpperCase() : letter))
    .join('')

const mailbox = fc
  .record({
    local: fc.stringMatching(/^\+{0,2}[a-z0-9_]([a-z0-9_.'-]{0,18}[a-z0-9_])?$/),
    domain: fc.stringMatching(/^[a-z0-9]{1,10}\.[a-z]{2,6}$/),
    tag: fc.option(fc.stringMatching(/^\+[a-z0-9+_.-]{0,10}$/), { nil: '' }),
    upper: fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
  })
  .map(({ local, domain, tag, upper }) => ({
    address: `${local}@${domain}`,
    written: letters(`${local}${tag}@${domain}`, upper),
  }))

test('every spelling of an address is found', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(phone, mailbox), async ({ address, written }) => {
      const [row] = await world.rows(`SELECT payer_address($1) AS address`, written)
      expect([row, normalizeAddress(written)]).toEqual([{ address }, address])
    }),
    { numRuns: 300 },
  )
})

test.each([
  ['+4930111@sms.example.com', '+4930111@sms.example.com'],
  ['+4930111+shop@SMS.example.com', '+4930111@sms.example.com'],
  ['++4930111@sms.example.com', '++4930111@sms.example.com'],
  ['Ada+a+b@example.com', 'ada@example.com'],
  ['+49 (0)30 123456', '+4930123456'],
  ['+49 (0) 30 123456', '+4930123456'],
  ['0049 30 123456', '+4930123456'],
  ['(0049) 30/123456', '+4930123456'],
  ['+49 30/123456', '+4930123456'],
  ['+49 30 12345 ext. 6', '+493012345'],
  ['+49 30 12345x6', '+493012345'],
  ['+49 30 12345;ext=6', '+493012345'],
  ['+49 30 12345#6', '+493012345'],
  ['+49 30 12345/6', '+493012345'],
  ['+49 30/12345/67', '+493012345'],
  ['Tel. +49 30 123456', '+4930123456'],
  ['030 123456', '030123456'],
  ['no number', ''],
])('the address of %s is %s', async (written, address) => {
  const [row] = await world.rows(`SELECT payer_address($1) AS address`, written)
  expect([row, normalizeAddress(written)]).toEqual([{ address }, address])
})

/** Whether rows with the text in a column are rows of the payer. */
async function isFound(written: string, address: string): Promise<boolean> {
  const [row] = await world.rows<{ found: boolean }>(
    `SELECT ${storedAddress('payer_address($1)')} = ANY($2::text[]) AS found`,
    written,
    listStoredAddresses(address),
  )
  return row?.found === true && normalizeAddress(written) === address
}

const annes = ['ÄNNE@BÜCHER.example', 'ÄnnE@bücher.EXAMPLE', 'Änne+shop@xn--bcher-kva.example', 'Änne@ＢÜCHER。example']

test.each(annes.flatMap((written) => annes.map((requested) => [written, requested])))(
  '%s is found by %s: the domain has one form, ASCII letters are equal in both cases',
  async (written, requested) => {
    const address = normalizeAddress(requested)
    expect(address).toBe('Änne@xn--bcher-kva.example')
    expect(await isFound(written, address)).toBe(true)
  },
)

test.each([
  ['änne@bücher.example', 'Änne@bücher.example'],
  ['Änne@bücher.example', 'Änne@bucher.example'],
  ['Änne@bücher.example', 'Anne@bücher.example'],
  ['\u212aate@example.com', 'kate@example.com'],
  ['kate@example.com', '\u212aate@example.com'],
])('%s is another mailbox than %s', async (written, requested) => {
  expect(await isFound(written, normalizeAddress(requested))).toBe(false)
})

const unit = fc.constantFrom(...'+0123456789()/ .-ax#;\n\u00e9\u0434\u00a0\u2011\u3042'.split(''))
const anyText = fc.oneof(fc.string({ unit }), fc.string({ unit: 'grapheme' }))

test('any text has the same address in a column as in code', async () => {
  await fc.assert(
    fc.asyncProperty(anyText, async (text) => {
      const written = text.replaceAll(/[\0@]/g, '')
      const [row] = await world.rows(`SELECT payer_address($1) AS address`, written)
      expect(row).toEqual({ address: normalizeAddress(written) })
    }),
    { numRuns: 300 },
  )
})
