import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { settled, someEvent, startWorld, subscribe, type World } from './world.ts'

let world: World
let endpoint: Receiver
let tokenEndpoint: Receiver
beforeAll(async () => {
  world = await startWorld()
  await world.dispatch()
})
afterAll(() => world.stop())
beforeEach(async () => {
  ;[endpoint, tokenEndpoint] = await Promise.all([receiver(), receiver()])
  grant(() => ({ access_token: `token-${tokenEndpoint.received.length}`, token_type: 'Bearer', expires_in: 3600 }))
})
afterEach(() => Promise.all([endpoint.close(), tokenEndpoint.close()]))

function grant(token: () => object, status = 200) {
  tokenEndpoint.respondWith(() => ({ status, body: JSON.stringify(token()) }))
}

/** A subscription whose deliveries contain the credentials. */
async function subscribeWith(type: string, config: object, url = endpoint.url) {
  const plain = await subscribe(world, url)
  const created = await plain.tenant.post('/v1/webhooks/auth-info', { name: 'a', type, config })
  if (created.status !== 201) throw new Error(created.text)
  const path = `/v1/webhooks/auth-info/${created.body.id}`
  await plain.tenant.put(plain.path, { webhook_auth_info_id: created.body.id })
  return {
    ...plain,
    change: (change: object) => plain.tenant.put(path, change),
    publish: () => world.publish(someEvent(plain.tenantId, plain.unitId)),
  }
}

const oauth = (given: object = {}) => ({
  token_url: `${tokenEndpoint.url}/token`,
  client_id: 'pay:ments',
  client_secret: 's3cr+t &',
  ...given,
})

describe('a delivery contains the credentials of its auth info', () => {
  test('custom headers, in addition to the headers of the platform', async () => {
    const subscribed = await subscribeWith('custom_headers', { headers: { 'X-Api-Key': 'k-4711', Cookie: 'a=é' } })
    await subscribed.publish()
    const [got] = await endpoint.waitFor(() => true)
    expect(got?.headers).toMatchObject({ 'x-api-key': 'k-4711', cookie: 'a=é', 'content-type': 'application/json' })
    expect(got?.headers['webhook-signature']).toMatch(/^v1,/)
  })

  test('Basic credentials, in UTF-8', async () => {
    const subscribed = await subscribeWith('basic', { username: 'žofie', password: 'heslo:1' })
    await subscribed.publish()
    const [got] = await endpoint.waitFor(() => true)
    const { authorization = '' } = got?.headers ?? {}
    expect(authorization).toMatch(/^Basic /)
    expect(Buffer.from(authorization.slice(6), 'base64').toString('utf8')).toBe('žofie:heslo:1')
  })

  test('an API credential in a header, with its prefix unchanged', async () => {
    const config = { location: 'header', name: 'Authorization', value: 't-0815', prefix: 'Token ' }
    const subscribed = await subscribeWith('api_credential', config)
    await subscribed.publish()
    expect((await endpoint.waitFor(() => true))[0]?.headers.authorization).toBe('Token t-0815')
  })

  test.each([
    ['/hook', '/hook?api%20key=v%26%3D%C5%BE'],
    ['/hook?a=%2f', '/hook?a=%2f&api%20key=v%26%3D%C5%BE'],
  ])('an API credential in the query of %s, which is otherwise unchanged', async (written, sent) => {
    const config = { location: 'query', name: 'api key', value: 'v&=ž' }
    const subscribed = await subscribeWith('api_credential', config, `${endpoint.url}${written}`)
    await subscribed.publish()
    expect((await endpoint.waitFor(() => true))[0]?.path).toBe(sent)
    const { destination_url } = await settled(subscribed, 'delivered')
    expect(destination_url).toBe(`${endpoint.url}${written}`)
  })

  test('the current credentials: a change or removal applies from the next attempt', async () => {
    const subscribed = await subscribeWith('custom_headers', { headers: { 'X-Key': 'one' } })
    endpoint.respondWith(async () => {
      if (endpoint.received.length > 1) return { status: 200 }
      await subscribed.change({ config: { headers: { 'X-Key': 'three' } } })
      return { status: 500 }
    })
    await subscribed.change({ config: { headers: { 'X-Key': 'two' } } })
    await subscribed.publish()
    await endpoint.waitFor(() => true, { count: 2 })
    await subscribed.tenant.put(subscribed.path, { webhook_auth_info_id: null })
    await subscribed.publish()
    const received = await endpoint.waitFor(() => true, { count: 3 })
    expect(received.map((one) => one.headers['x-key'])).toEqual(['two', 'three', undefined])
  })
})

describe('OAuth 2.0 client credentials', () => {
  test('requests a token with HTTP Basic, and uses it for several deliveries', async () => {
    const subscribed = await subscribeWith('oauth2_client_credentials', oauth({ scope: 'a b' }))
    await subscribed.publish()
    await settled(subscribed, 'delivered')
    for (let i = 0; i < 9; i += 1) await subscribed.publish()
    const received = await endpoint.waitFor(() => true, { count: 10 })
    expect(new Set(received.map((one) => one.headers.authorization))).toEqual(new Set(['Bearer token-1']))
    expect(tokenEndpoint.received).toHaveLength(1)
    const [tokenRequest] = tokenEndpoint.received
    expect([tokenRequest?.method, tokenRequest?.path, tokenRequest?.body.toString()]).toEqual([
      'POST',
      '/token',
      'grant_type=client_credentials&scope=a+b',
    ])
    expect(tokenRequest?.headers['content-type']).toBe('application/x-www-form-urlencoded')
    const credentials = Buffer.from(tokenRequest?.headers.authorization?.slice(6) ?? '', 'base64').toString()
    expect(credentials).toBe('pay%3Aments:s3cr%2Bt+%26')
  })

  test('requests one token for ten deliveries at once', async () => {
    const subscribed = await subscribeWith('oauth2_client_credentials', oauth())
    await Promise.all(Array.from({ length: 10 }, () => subscribed.publish()))
    await endpoint.waitFor(() => true, { count: 10 })
    expect(tokenEndpoint.received).toHaveLength(1)
  })

  test('sends the credentials in the body to an authorization server that rejects HTTP Basic', async () => {
    tokenEndpoint.respondWith(({ headers }) =>
      headers.authorization === undefined
        ? { status: 200, body: '{"access_token":"by-body","token_type":"bearer"}' }
        : { status: 401, body: '{"error":"invalid_client"}' },
    )
    const subscribed = await subscribeWith('oauth2_client_credentials', oauth())
    await subscribed.publish()
    expect((await endpoint.waitFor(() => true))[0]?.headers.authorization).toBe('Bearer by-body')
    const { client_id, client_secret } = oauth()
    expect(Object.fromEntries(new URLSearchParams(tokenEndpoint.received[1]?.body.toString()))).toEqual({
      grant_type: 'client_credentials',
      client_id,
      client_secret,
    })
  })

  test('does not use a token that is about to expire', async () => {
    grant(() => ({ access_token: `short-${tokenEndpoint.received.length}`, token_type: 'Bearer', expires_in: 30 }))
    const subscribed = await subscribeWith('oauth2_client_credentials', oauth())
    for (let i = 1; i <= 2; i += 1) {
      await subscribed.publish()
      const hasToken = endpoint.waitFor((one) => one.headers.authorization === `Bearer short-${i}`)
      await expect(hasToken).resolves.toBeDefined()
    }
  })

  test('requests a new token after the client secret changed', async () => {
    const subscribed = await subscribeWith('oauth2_client_credentials', oauth())
    await subscribed.publish()
    await settled(subscribed, 'delivered')
    await subscribed.change({ config: oauth({ client_secret: 'rotated' }) })
    await subscribed.publish()
    const hasToken = endpoint.waitFor((one) => one.headers.authorization === 'Bearer token-2')
    await expect(hasToken).resolves.toBeDefined()
  })

  test('sends another token in the same attempt after a receiver responds with 401', async () => {
    endpoint.respondWith(({ headers }) => ({ status: headers.authorization === 'Bearer token-2' ? 200 : 401 }))
    const subscribed = await subscribeWith('oauth2_client_credentials', oauth())
    await subscribed.publish()
    const { attempts } = await settled(subscribed, 'delivered')
    expect(attempts).toHaveLength(1)
    expect(attempts[0]).toMatchObject({ number: 1, status_code: 200, error_kind: null })
    const sent = endpoint.received.map((one) => one.headers.authorization)
    expect(sent).toEqual(['Bearer token-1', 'Bearer token-2'])
    expect(new Set(endpoint.received.map((one) => one.headers['webhook-id'])).size).toBe(1)
  })

  test('records a failure of status 401 after two requests when the receiver rejects every token', async () => {
    endpoint.respondWith(() => ({ status: 401 }))
    const subscribed = await subscribeWith('oauth2_client_credentials', oauth())
    await subscribed.publish()
    const { attempts } = await settled(subscribed, 'dead')
    expect(attempts.map((one) => [one.error_kind, one.status_code])).toEqual(Array(3).fill(['status', 401]))
    expect(endpoint.received).toHaveLength(6)
  })

  test('records a failure of kind auth with the reason and without the secret when no token is issued, and retries', async () => {
    tokenEndpoint.respondWith(({ body }) => ({
      status: 401,
      body: JSON.stringify({ error: 'invalid_client', error_description: body.toString() }),
    }))
    const subscribed = await subscribeWith('oauth2_client_credentials', oauth({ client_secret: 'hush' }))
    await subscribed.publish()
    await tokenEndpoint.waitFor(() => true, { count: 2 })
    grant(() => ({ access_token: 'at-last', token_type: 'Bearer' }))
    const delivery = await settled(subscribed, 'delivered')
    expect(delivery.attempts[0]).toMatchObject({
      status_code: null,
      error_kind: 'auth',
      error_detail: 'the token endpoint responded with 401: invalid_client',
      timings: { dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: null },
    })
    expect(delivery.attempts.at(-1)?.error_kind).toBeNull()
    expect(JSON.stringify(delivery)).not.toContain('hush')
    expect(endpoint.received).toHaveLength(1)
  })
})
