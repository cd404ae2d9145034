import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type Received, type Receiver, type Reply, receiver } from '@payments/testing/peers/receiver'
import { createCredentialMasking } from '../src/domain/auth-info/credential-masking.ts'
import { settled, someEvent, startWorld, subscribe, type World } from './world.ts'

let world: World
let endpoint: Receiver
let tokenEndpoint: Receiver
beforeAll(async () => {
  world = await startWorld({ schedule: '0s' })
  await world.dispatch()
})
afterAll(() => world.stop())
beforeEach(async () => {
  ;[endpoint, tokenEndpoint] = await Promise.all([receiver(), receiver()])
})
afterEach(() => Promise.all([endpoint.close(), tokenEndpoint.close()]))

const secret = 'k3y&s/é+c%r"t 47'
const latin1 = (text: string) => Buffer.from(text, 'utf8').toString('latin1')

/** The only attempt of a delivery with the credentials, as its reader gets it and as it is stored. */
async function attemptWith(type: string, config: object, respond: (received: Received) => Reply) {
  endpoint.respondWith(respond)
  const subscribed = await subscribe(world, `${endpoint.url}/hook`)
  const created = await subscribed.tenant.post('/v1/webhooks/auth-info', { name: 'a', type, config })
  expect(created.status).toBe(201)
  await subscribed.tenant.put(subscribed.path, { webhook_auth_info_id: created.body.id })
  await world.publish(someEvent(subscribed.tenantId, subscribed.unitId))
  const { attempts } = await settled(subscribed, 'dead')
  const [row] = await world.db.inTenant(subscribed.tenantId, (tx) => tx.attempt.findMany())
  const stored = { headers: row?.responseHeaders, detail: row?.errorDetail, body: Buffer.from(row?.responseBody ?? []) }
  return { attempt: attempts[0], stored: `${JSON.stringify(stored)} ${stored.body.toString('utf8')}` }
}

const inQuery = { location: 'query', name: 'token', value: secret }

describe('no attempt contains a credential of its request', () => {
  test('that a redirect repeats: the query of location is not stored', async () => {
    const { attempt, stored } = await attemptWith('api_credential', inQuery, ({ path }) => ({
      status: 301,
      headers: { location: path.replace('/hook', '/hook/').replace('k3y', '%6B3y'), server: `echo ${path}` },
    }))
    expect(attempt?.response_headers).toMatchObject({ location: '/hook/?…', server: 'echo /hook?token=…' })
    expect(stored).not.toMatch(/k3y|6B3y/i)
  })

  test('that a path repeats, and keeps the query of location when no credential is in a query', async () => {
    const config = { headers: { 'X-Key': 'Token abcd-4711' } }
    const { attempt } = await attemptWith('custom_headers', config, () => ({
      status: 302,
      headers: { location: '/to/abcd-4711?page=2' },
    }))
    expect(attempt?.response_headers).toMatchObject({ location: '/to/…?page=2' })
  })

  test.each(['server', 'via', 'x-request-id', 'request-id'])('that the header %s repeats', async (name) => {
    const config = { location: 'header', name: 'Authorization', value: 'v-4711-é', prefix: 'Token ' }
    const { attempt } = await attemptWith('api_credential', config, ({ headers }) => ({
      status: 500,
      headers: { [name]: `got ${headers.authorization}; v-4711-%C3%A9` },
    }))
    expect(attempt?.response_headers?.[name]).toBe('got …; …')
  })

  test('that a body repeats in any of its forms', async () => {
    const { attempt, stored } = await attemptWith('api_credential', inQuery, ({ path }) => ({
      status: 400,
      body: [
        path,
        encodeURIComponent(path),
        secret,
        new URLSearchParams({ secret }).toString(),
        JSON.stringify({ secret }),
        JSON.stringify({ secret }).replace('/', '\\/').replace('é', '\\u00e9'),
        '<b>k3y&amp;s/&#xe9;+c%r&quot;t 47</b>',
        'end',
      ].join('\n'),
    }))
    expect(attempt?.response_body?.split('\n')).toEqual([
      '/hook?token=…',
      '%2Fhook%3Ftoken%3D…',
      '…',
      'secret=…',
      '{"secret":"…"}',
      '{"secret":"…"}',
      '<b>…</b>',
      'end',
    ])
    expect(stored).not.toContain('k3y')
  })

  test('as Basic credentials: encoded, as a pair, and the password', async () => {
    const config = { username: 'žofie', password: 'heslo/?>1' }
    const encoded = Buffer.from('žofie:heslo/?>1').toString('base64')
    const { attempt } = await attemptWith('basic', config, ({ headers: { authorization = '' } }) => ({
      status: 401,
      body: `${authorization} ${encodeURIComponent(encoded)} žofie:heslo/?>1 heslo%2F%3F%3E1 žofie`,
    }))
    expect(attempt?.response_body).toBe('… … … … žofie')
  })

  test('as a cookie, as Basic credentials in a header, and after the scheme', async () => {
    const pair = Buffer.from('payments:p-secret').toString('base64')
    const config = {
      headers: { Cookie: 'sid=s-4711; theme=t-4712', 'X-Auth': `Basic ${pair}`, 'X-Key': 'Bearer b-4713' },
    }
    const { attempt } = await attemptWith('custom_headers', config, () => ({
      status: 401,
      body: `s-4711 t-4712 ${pair} p-secret b-4713 sid Bearer`,
    }))
    expect(attempt?.response_body).toBe('… … … … … sid Bearer')
  })

  test('as an access token: the first one and the one after a 401', async () => {
    tokenEndpoint.respondWith(() => ({
      status: 200,
      body: JSON.stringify({ access_token: `token-${tokenEndpoint.received.length}`, token_type: 'Bearer' }),
    }))
    const config = { token_url: tokenEndpoint.url, client_id: 'payments', client_secret: 'c-secret' }
    const { attempt } = await attemptWith('oauth2_client_credentials', config, ({ headers }) => ({
      status: 401,
      body: `${headers.authorization}, after token-1 of c-secret`,
    }))
    expect(attempt?.response_body).toBe('Bearer …, after … of …')
  })

  test('in the reason why there is no token', async () => {
    tokenEndpoint.respondWith(() => ({ status: 400, body: JSON.stringify({ error: 'hush_hush' }) }))
    const config = { token_url: tokenEndpoint.url, client_id: 'payments', client_secret: 'hush_hush' }
    const { attempt } = await attemptWith('oauth2_client_credentials', config, () => ({ status: 200 }))
    expect(attempt?.error_detail).toBe('the token endpoint responded with 400: …')
  })

  test('at the end of a body that was cut, also within an escape', async () => {
    for (const end of ['k3y&s/é', 'k3y%26s%2F%C3']) {
      const cut = Buffer.from(end, 'utf8')
      const { attempt } = await attemptWith('api_credential', inQuery, () => ({
        status: 500,
        body: Buffer.concat([Buffer.alloc(16 * 1024 - cut.length, '.'), cut, Buffer.from('xxxx')]),
      }))
      expect(attempt).toMatchObject({ response_truncated: true })
      expect(attempt?.response_body?.replaceAll('.', '')).toBe('…')
    }
  })
})

describe('createCredentialMasking', () => {
  test('leaves a text without credentials unchanged, byte by byte', () => {
    const { bytes } = createCredentialMasking([secret])
    const body = Buffer.from([...Array(256).keys()])
    expect(bytes(body, true)).toBe(body)
  })

  test('masks no credential of less than four characters', () => {
    expect(createCredentialMasking(['1', 'abc', '']).text('1 abc')).toBe('1 abc')
  })

  test('masks repeated and overlapping credentials with one mask, and never makes a text longer', () => {
    const { text, bytes } = createCredentialMasking(['abab', 'baba'])
    expect(text('.abababab.abab')).toBe('.….…')
    const body = Buffer.from('abab.'.repeat(3_000))
    expect(bytes(body, false).length).toBeLessThanOrEqual(body.length)
  })

  test('finds a credential that itself contains an escape', () => {
    const { text } = createCredentialMasking(['a%41+b&amp;'])
    expect(['a%41+b&amp;', 'a%2541%2Bb%26amp%3B', 'aA b&'].map(text)).toEqual(['…', '…', '…'])
    expect(createCredentialMasking(['41bc']).text('%41bc')).toBe('%…')
    expect(createCredentialMasking([latin1('4€71')]).text(encodeURIComponent('4€71'))).toBe('…')
  })

  test('takes time linear in the text, for texts that repeat the start of a credential', () => {
    const { bytes } = createCredentialMasking(Array.from({ length: 20 }, (_, i) => `${'a'.repeat(4_000 + i)}b`))
    const startMs = performance.now()
    for (const unit of ['a', '%61', '%25', '\\u0061', '&#x61;', '\\']) {
      bytes(Buffer.from(unit.repeat(16 * 1024)).subarray(0, 16 * 1024), true)
    }
    expect(performance.now() - startMs).toBeLessThan(5_000)
  })
})
