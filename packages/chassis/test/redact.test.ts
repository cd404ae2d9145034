import { describe, expect, test } from '@jest/globals'
import { longestHoldMs, slowness } from '@payments/testing/runner/held-time'
import { redactPath, redactSecrets, redactStart } from '../src/base/redact.ts'

const random = 'q3Fz8TnB0xYvKd5LrWcEoHj2aPs9MgUi7NbXeRt4VyA1CkZ6D'
const key = `psk_dev_${random}`
const jwt = `eyJhbGciOiJFZERTQSJ9.${random}.${random}_-`
const code = 'Zk3_pQx8-RtYv0LmNb2WcA'
const linkToken = `${code.slice(1)}${code}`

describe('redactSecrets', () => {
  test.each([
    ['Mozilla/5.0 4111111111111111', 'Mozilla/5.0 [card number]'],
    [`curl ${key}`, 'curl [credential]'],
    [`"pss_prod_${random}"`, '"[credential]"'],
    [`x=${key.slice(0, -9)}&y=${key}!`, 'x=[credential]&y=[credential]!'],
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw+/==,', '[credential],'],
    [`Bearer ${jwt}.`, 'Bearer [credential].'],
    ['psk_dev_… and whsec_… and eyJ.a', 'psk_dev_… and whsec_… and eyJ.a'],
    [`a trace 01890a5d-ac96-774b-bcce-b302099a8057, ${code}`, `a trace 01890a5d-ac96-774b-bcce-b302099a8057, ${code}`],
  ])('turns %s into %s', (text, redacted) => {
    expect(redactSecrets(text)).toBe(redacted)
  })

  test.each(['psk_', 'psk_dev_', 'psk_dev_0000000', 'whsec_', 'whsec_0', 'eyJ', 'eyJaaaaaaaa.', '.eyJ', 'a', '-'])(
    'reads 256 KiB of %s within 20 ms',
    async (piece) => {
      const text = piece.repeat(262_144 / piece.length)
      const holds = []
      for (let run = 0; run < 4; run += 1) holds.push(await longestHoldMs(async () => redactSecrets(text)))
      expect(Math.min(...holds)).toBeLessThan(20 * slowness())
    },
  )
})

const shown = '%5Bcredential%5D'

test.each([
  ['/v1/x/4111111111111111', '/v1/x/%5Bcard%20number%5D'],
  ['/v1/x/4111%201111%201111%201111/y', '/v1/x/%5Bcard%20number%5D/y'],
  ['/%34111111111111111', '/%5Bcard%20number%5D'],
  ['/%ff%34111111111111111', '/%C3%BF%5Bcard%20number%5D'],
  ['/v1/x/%41', '/v1/x/%41'],
  [`/v1/api-key/keys/${key}/reveal`, `/v1/api-key/keys/${shown}/reveal`],
  [`/v1/api-key/keys/%70sk%5Fdev_${random}`, `/v1/api-key/keys/${shown}`],
  ['/v1/x/whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw%2B%2F%3D%3D', `/v1/x/${shown}`],
  [`/v1/identity/sessions/${jwt}`, `/v1/identity/sessions/${shown}`],
  [`/v1/i2p/codes/${code}/cancel`, `/v1/i2p/codes/${shown}/cancel`],
  [`/v1/identity/invitations/${linkToken}`, `/v1/identity/invitations/${shown}`],
  ['/v1/x/01890a5d-ac96-774b-bcce-b302099a8057', '/v1/x/01890a5d-ac96-774b-bcce-b302099a8057'],
  ['/v1/payment-proxy/transactions', '/v1/payment-proxy/transactions'],
])('redactPath turns %s into %s', (path, redacted) => {
  expect(redactPath(path)).toBe(redacted)
})

test.each([['4111111111111111'], [key], [jwt]])('leaves no part of %s at the end of a long text', (secret) => {
  for (let before = 0; before < 60; before += 1) {
    const start = redactStart(`${'x'.repeat(before)} ${secret} `.padEnd(20_000, `${secret} `), 40, redactSecrets)
    expect(start.length).toBeLessThanOrEqual(40)
    expect(start).not.toMatch(/\d{3}|psk_|eyJ/)
  }
  expect(redactStart('y'.repeat(5_000), 40, redactSecrets)).toBe('y'.repeat(40))
})
