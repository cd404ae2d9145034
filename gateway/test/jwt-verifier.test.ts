import { createHmac, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import type { JSONWebKeySet, JWK } from 'jose'
import jwt from 'jsonwebtoken'
import { createKeySet } from '../src/authorization/jwks.ts'
import { createTokenVerifier, type TokenIssuer } from '../src/authorization/jwt-verifier.ts'

const tenantId = randomUUID()
const now = 1_800_000_000
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 })
const toJwk = (key: KeyObject, more: JWK = {}): JWK => ({ ...key.export({ format: 'jwk' }), kid: 'one', ...more })

function issuer(name: string, keys: JWK[], more: Partial<TokenIssuer> = {}): TokenIssuer {
  const load = async (): Promise<JSONWebKeySet> => ({ keys })
  return {
    issuer: name,
    audience: 'payment-service',
    algorithms: ['ES256'],
    keys: createKeySet({ load, onFailure: () => {} }),
    tenantClaim: 'tenant_id',
    rolesClaim: 'roles',
    tenants: '*',
    lifetimeSecondsMax: 3_600,
    ...more,
  }
}

/** Two issuers whose keys have the same id: ids are unique per issuer only. */
const verifier = createTokenVerifier([
  issuer('urn:ec', [toJwk(ec.publicKey)]),
  issuer('urn:rsa', [toJwk(rsa.publicKey)], {
    audience: 'https://payments.example',
    algorithms: ['RS256'],
    tenantClaim: 'https://example/tenant',
    rolesClaim: 'groups',
  }),
])

const ofEc = {
  iss: 'urn:ec',
  aud: 'payment-service',
  sub: 'alice',
  iat: now,
  exp: now + 60,
  tenant_id: tenantId,
  roles: ['admin'],
}
const ofRsa = {
  iss: 'urn:rsa',
  aud: 'https://payments.example',
  sub: 'bob',
  iat: now,
  exp: now + 60,
  'https://example/tenant': tenantId,
  groups: ['viewer'],
}
const sign = (claims: object, header: Partial<jwt.JwtHeader> = {}, key: KeyObject = rsa.privateKey) => {
  const { alg = 'RS256', ...rest } = header
  return jwt.sign(JSON.stringify(claims), key, {
    algorithm: alg as jwt.Algorithm,
    header: { alg, kid: 'one', typ: 'JWT', ...rest },
  })
}
const signEc = (claims: object, key = ec.privateKey) => sign(claims, { alg: 'ES256' }, key)
const verify = (token: string) => verifier.verify(token)
const isValid = async (token: string) => (await verify(token)) !== undefined

beforeEach(() => void jest.useFakeTimers({ now: now * 1000, doNotFake: ['nextTick', 'setImmediate', 'performance'] }))
afterEach(() => void jest.useRealTimers())

describe('several issuers', () => {
  test('each has its own audience, algorithm and claims', async () => {
    expect(await verify(signEc(ofEc))).toMatchObject({ tenantId, subject: 'alice', roleNames: ['admin'] })
    expect(await verify(sign(ofRsa))).toMatchObject({ tenantId, subject: 'bob', roleNames: ['viewer'] })
  })

  test('names of roles are read as roles are stored', async () => {
    expect(await verify(sign({ ...ofRsa, groups: ['re\u0301gie'] }))).toMatchObject({ roleNames: ['r\u00e9gie'] })
  })

  test('none can issue tokens of another: not with its own key, audience, algorithm or claims', async () => {
    expect(await isValid(sign({ ...ofRsa, iss: 'urn:ec', aud: 'payment-service', ...rolesAndTenant }))).toBe(false)
    expect(await isValid(signEc({ ...ofEc, iss: 'urn:rsa', aud: ofRsa.aud }))).toBe(false)
    expect(await isValid(signEc({ ...ofEc, aud: ofRsa.aud }))).toBe(false)
    const { tenant_id: _, ...withoutTenant } = ofEc
    expect(await isValid(signEc({ ...withoutTenant, 'https://example/tenant': tenantId }))).toBe(false)
  })

  test('an issuer with a similar name is unknown', async () => {
    for (const iss of ['urn:EC', 'urn:ec/', ' urn:ec', ['urn:ec'], null, '__proto__']) {
      expect(await isValid(signEc({ ...ofEc, iss }))).toBe(false)
    }
  })

  const rolesAndTenant = { tenant_id: tenantId, roles: ['admin'] }
})

describe('a public key is rejected as the secret of an HMAC', () => {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const secrets: Record<string, string | Buffer> = {
    'as PEM': rsa.publicKey.export({ type: 'spki', format: 'pem' }),
    'as PEM of PKCS 1': rsa.publicKey.export({ type: 'pkcs1', format: 'pem' }),
    'as DER': rsa.publicKey.export({ type: 'spki', format: 'der' }),
    'as JWK': JSON.stringify(toJwk(rsa.publicKey)),
  }
  test.each(Object.keys(secrets))('%s', async (form) => {
    for (const [alg, digest] of [['HS256', 'sha256'] as const, ['HS512', 'sha512'] as const]) {
      const signed = `${encode({ alg, kid: 'one', typ: 'JWT' })}.${encode(ofRsa)}`
      const signature = createHmac(digest, secrets[form] ?? '')
        .update(signed)
        .digest('base64url')
      expect(await isValid(`${signed}.${signature}`)).toBe(false)
    }
  })

  test('rejects a symmetric key that an issuer published by mistake', async () => {
    const leaked = issuer('urn:leak', [{ kty: 'oct', k: encode({}), kid: 'one' }], { algorithms: ['RS256', 'ES256'] })
    const signed = `${encode({ alg: 'HS256', kid: 'one' })}.${encode({ ...ofEc, iss: 'urn:leak' })}`
    const signature = createHmac('sha256', Buffer.from('{}')).update(signed).digest('base64url')
    expect(await createTokenVerifier([leaked]).verify(`${signed}.${signature}`)).toBeUndefined()
  })
})

describe('rejects a token', () => {
  test('without a valid kid, although the issuer has only one key', async () => {
    expect(await isValid(jwt.sign(JSON.stringify(ofRsa), rsa.privateKey, { algorithm: 'RS256' }))).toBe(false)
    for (const kid of ['', null, 1, ['one']]) expect(await isValid(sign(ofRsa, { kid: kid as string }))).toBe(false)
  })

  test('of an algorithm that is not pinned, although the key supports it', async () => {
    for (const alg of ['PS256', 'RS384', 'RS512']) expect(await isValid(sign(ofRsa, { alg }))).toBe(false)
  })

  test.each<[string, object]>([
    ['jwk', { jwk: toJwk(stranger.publicKey) }],
    ['jku', { jku: 'http://127.0.0.1:1/jwks.json' }],
    ['x5u', { x5u: 'http://127.0.0.1:1/chain.pem' }],
    ['x5c', { x5c: ['MIIB'] }],
  ])('with its own key in %s', async (_name, header) => {
    expect(await isValid(sign(ofRsa, header, stranger.privateKey))).toBe(false)
  })

  test('with a critical extension', async () => {
    expect(await isValid(sign(ofRsa, { crit: ['exp'] }))).toBe(false)
  })

  test.each(['JWE', 'logout+jwt', 'dpop+jwt', 'application/jwt-x', ''])('of typ %j', async (typ) => {
    expect(await isValid(sign(ofRsa, { typ }))).toBe(false)
  })

  test('of other than three parts', async () => {
    const [head, claims, signature] = sign(ofRsa).split('.')
    for (const parts of [
      [head, claims],
      [head, claims, signature, ''],
      [head, '', '', claims, signature],
    ]) {
      expect(await isValid(parts.join('.'))).toBe(false)
    }
  })

  test('signed with a key that is published for another use', async () => {
    const keys = [toJwk(rsa.publicKey, { use: 'enc' })]
    const other = issuer('urn:rsa', keys, { algorithms: ['RS256'], audience: ofRsa.aud })
    expect(await createTokenVerifier([other]).verify(sign({ ...ofEc, iss: 'urn:rsa', aud: ofRsa.aud }))).toBeUndefined()
  })

  test.each<[string, unknown]>([
    ['an id in braces', `{${tenantId}}`],
    ['no id', 'acme'],
    ['nothing', ''],
    ['any', '*'],
  ])('of the tenant %s', async (_name, tenant) => {
    expect(await isValid(signEc({ ...ofEc, tenant_id: tenant }))).toBe(false)
  })
})

describe('an issuer is accepted', () => {
  const others = randomUUID()
  const of = (tenants: TokenIssuer['tenants']) =>
    createTokenVerifier([issuer('urn:ec', [toJwk(ec.publicKey)], { tenants, lifetimeSecondsMax: 600 })])
  const accepted = (claims: object[], tenants: TokenIssuer['tenants'] = new Set([tenantId])) =>
    Promise.all(
      claims.map(async (changes) => (await of(tenants).verify(signEc({ ...ofEc, ...changes }))) !== undefined),
    )

  test('for its configured tenants only', async () => {
    const claims = [tenantId, tenantId.toUpperCase(), others].map((tenant) => ({ tenant_id: tenant }))
    expect(await accepted(claims)).toEqual([true, true, false])
    expect(await accepted(claims, new Set([others]))).toEqual([false, false, true])
  })

  test('for every tenant when configured with *', async () => {
    expect(await accepted([{}, { tenant_id: others }], '*')).toEqual([true, true])
  })

  test('for tokens whose lifetime is at most the configured one, regardless of age', async () => {
    const lifetime = (iat: number, exp: number) => ({ iat: now + iat, exp: now + exp })
    expect(await accepted([lifetime(0, 600), lifetime(-590, 10), lifetime(30, 630)])).toEqual([true, true, true])
    expect(await accepted([lifetime(0, 601), lifetime(-600, 10), lifetime(-86_400, 1), lifetime(30, 631)])).toEqual(
      Array(4).fill(false),
    )
  })

  test.each<[string, object]>([
    ['without iat', { iat: undefined }],
    ['with an iat that is no number', { iat: `${now}` }],
    ['with an iat of null', { iat: null }],
    ['issued in the future', { iat: now + 31, exp: now + 60 }],
    ['issued a year in the future', { iat: now + 31_536_000, exp: now + 31_536_060 }],
  ])('for no token %s', async (_, claims) => {
    expect(await accepted([claims])).toEqual([false])
  })
})

describe('the clock skew of 30 s', () => {
  test('ends 30 s after exp', async () => {
    expect(await isValid(signEc({ ...ofEc, iat: now - 90, exp: now - 29 }))).toBe(true)
    expect(await isValid(signEc({ ...ofEc, iat: now - 90, exp: now - 30 }))).toBe(false)
  })

  test('begins 30 s before nbf', async () => {
    expect(await isValid(signEc({ ...ofEc, nbf: now + 30 }))).toBe(true)
    expect(await isValid(signEc({ ...ofEc, nbf: now + 31 }))).toBe(false)
  })

  test.each<[string, object]>([
    ['an exp that is no number', { exp: `${now + 60}` }],
    ['an exp of null', { exp: null }],
    ['an nbf that is no number', { nbf: 'now' }],
  ])('does not permit %s', async (_name, claims) => {
    expect(await isValid(signEc({ ...ofEc, ...claims }))).toBe(false)
  })
})

describe('the length of a token', () => {
  /** A valid token of at least `length` characters. */
  const createToken = (length: number) => {
    for (let padding = 5_000; padding < 6_500; padding += 1) {
      const token = signEc({ ...ofEc, padding: 'x'.repeat(padding) })
      if (token.length >= length) return token
    }
    throw new Error('no padding gives that length')
  }

  test('is at most 8 KiB', async () => {
    const longest = [createToken(8_192), createToken(8_191)].find(({ length }) => length <= 8_192) ?? ''
    expect(longest.length).toBeGreaterThan(8_189)
    expect(await isValid(longest)).toBe(true)
    expect(await isValid(createToken(8_193))).toBe(false)
  })
})
