import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { bytesOfTexts } from '@payments/chassis/base/sized-cache'
import jwt from 'jsonwebtoken'
import { createTokenVerifier } from '../src/authorization/jwt-verifier.ts'
import { createTokenCache } from '../src/authorization/token-cache.ts'

afterEach(() => {
  jest.restoreAllMocks()
})

describe('a verified token', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const tokenFor = (expiresInSeconds: number) =>
    jwt.sign({ tenant_id: randomUUID(), roles: [] }, privateKey, {
      algorithm: 'ES256',
      keyid: 'one',
      issuer: 'i',
      audience: 'a',
      subject: 'alice',
      expiresIn: expiresInSeconds,
    })

  /** The real verifier, which counts its key lookups. */
  function verifier(withdrawn: () => boolean = () => false) {
    const lookups = { count: 0 }
    const find = async () => {
      lookups.count += 1
      return withdrawn() ? undefined : publicKey
    }
    const issuer = {
      issuer: 'i',
      audience: 'a',
      algorithms: ['ES256' as const],
      tenantClaim: 'tenant_id',
      rolesClaim: 'roles',
      tenants: '*' as const,
      lifetimeSecondsMax: 86_400,
    }
    return { lookups, ...createTokenCache(createTokenVerifier([{ ...issuer, keys: { find } }]), { tokensMax: 2 }) }
  }

  test('is cached for a minute, then verified again', async () => {
    let isWithdrawn = false
    const { lookups, verify } = verifier(() => isWithdrawn)
    const token = tokenFor(3_600)
    const first = await verify(token)
    expect([first?.subject, await verify(token)]).toEqual(['alice', first])
    expect(lookups.count).toBe(1)
    isWithdrawn = true
    const now = Date.now()
    jest.spyOn(Date, 'now').mockReturnValue(now + 60_001)
    expect(await verify(token)).toBeUndefined()
  })

  test('is verified again once it has expired', async () => {
    const { lookups, verify } = verifier()
    const token = tokenFor(30)
    await verify(token)
    const now = Date.now()
    jest.spyOn(Date, 'now').mockReturnValue(now + 31_000)
    expect(await verify(token)).toBeDefined()
    expect(lookups.count).toBe(2)
    jest.spyOn(Date, 'now').mockReturnValue(now + 62_000)
    expect(await verify(token)).toBeUndefined()
  })

  test('is one of at most tokensMax in the cache, and an invalid token is not cached', async () => {
    const { lookups, verify } = verifier()
    const tokens = [tokenFor(3_600), tokenFor(3_601), tokenFor(3_602)] as const
    for (const token of tokens) await verify(token)
    await verify(tokens[0])
    expect(lookups.count).toBe(4)
    const invalid = `${tokens[0].slice(0, -4)}AAAA`
    expect([await verify(invalid), await verify(invalid)]).toEqual([undefined, undefined])
    expect(lookups.count).toBe(6)
  })
})

test('tokens with many long names of roles do not grow the heap beyond the bytes of their cache', async () => {
  const names = () => Array.from({ length: 50 }, () => randomUUID().repeat(5))
  const verify = async (token: string) => ({
    tenantId: token.slice(0, 36),
    subject: 'alice',
    roleNames: names(),
    expiresAtMs: Date.now() + 3_600_000,
  })
  const tokens = createTokenCache({ verify }, { tokensMax: 20_000 })
  const tenantId = randomUUID()
  const before = heapBytes()
  for (let i = 0; i < 3_000; i += 1) await tokens.verify(`${tenantId}.${i}`)
  // A quarter of 16 MiB; 3 000 tokens have 27 MB.
  expect(heapBytes() - before).toBeLessThan(8 * 1024 * 1024)
  expect(bytesOfTexts(...names()) * 3_000).toBeGreaterThan(24 * 1024 * 1024)
})

function heapBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}
