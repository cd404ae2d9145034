import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { type Receiver, type Responder, receiver } from '@payments/testing/peers/receiver'
import { recordedSpans } from '@payments/testing/peers/recorded-spans'
import { createTokenEndpoint, type TokenEndpointOptions } from '../src/egress/token-endpoint.ts'

let tokenEndpoint: Receiver
beforeEach(async () => {
  tokenEndpoint = await receiver()
})
afterEach(() => tokenEndpoint.close())

interface Given extends Partial<TokenEndpointOptions> {
  readonly token_url?: string
  readonly requested?: { readonly scope?: string; readonly audience?: string; readonly resource?: string }
}

function fetchToken(given: Given = {}) {
  const { token_url = tokenEndpoint.url, requested = {}, ...options } = given
  const stop = new AbortController().signal
  const endpoint = createTokenEndpoint({
    allowPrivate: true,
    stop,
    timeoutMs: 20_000,
    lookup: async () => [],
    ...options,
  })
  return endpoint({ type: 'oauth2_client_credentials', token_url, client_id: 'a', client_secret: 'hush', ...requested })
}

const respond = (body: object | string, status = 200): Responder => {
  return () => ({ status, body: typeof body === 'string' ? body : JSON.stringify(body) })
}

const issued = { status: 200, body: JSON.stringify({ access_token: 't' }) }

describe('a token endpoint', () => {
  test.each([
    [{ access_token: 't', token_type: 'bearer', expires_in: 3600 }, 3_570_000],
    [{ access_token: 't', token_type: 'Bearer', expires_in: '3600' }, 3_570_000],
    [{ access_token: 't', token_type: 'Bearer' }, 300_000],
    [{ access_token: 't' }, 300_000],
    [{ access_token: 't', token_type: 'BearerToken', expires_in: '3599' }, 3_569_000],
    [{ access_token: 't', token_type: null, expires_in: null, scope: null }, 300_000],
    [{ access_token: 't', token_type: 'access_token', expires_in: '' }, 300_000],
    [{ access_token: 't', expires_in: 'soon' }, 300_000],
    [{ access_token: 't', expires_in: true }, 300_000],
    [{ access_token: 't', expires_in: 3600.5 }, 3_570_500],
    [{ access_token: 't', expires_in: 30 }, 0],
    [{ access_token: 't', expires_in: -1 }, 0],
    [{ access_token: 't', expires_in: 1e12 }, 86_400_000],
  ])('that responds with %j issues a token that is usable for %i ms', async (body, usableMs) => {
    tokenEndpoint.respondWith(respond(body))
    expect(await fetchToken()).toEqual({ value: 't', usableMs })
  })

  test.each([
    ['201', 201, ''],
    ['a byte order mark', 200, '\uFEFF'],
    ['white space before the JSON', 200, ' \r\n'],
  ])('that responds with %s issues a token', async (_what, status, before) => {
    tokenEndpoint.respondWith(respond(`${before}${JSON.stringify({ access_token: 't' })}`, status))
    expect(await fetchToken()).toMatchObject({ value: 't' })
  })

  test('gets audience, resource and scope with both kinds of client authentication', async () => {
    tokenEndpoint.respondWith(() => (tokenEndpoint.received.length === 1 ? { status: 401 } : issued))
    const requested = { scope: 'a b', audience: 'https://api.example.com/', resource: 'urn:example:hooks' }
    await fetchToken({ requested })
    const bodies = tokenEndpoint.received.map(({ body }) => Object.fromEntries(new URLSearchParams(body.toString())))
    const grant = { grant_type: 'client_credentials', ...requested }
    expect(bodies).toEqual([grant, { ...grant, client_id: 'a', client_secret: 'hush' }])
  })

  test('gets no parameter that the config does not have', async () => {
    tokenEndpoint.respondWith(respond({ access_token: 't' }))
    await fetchToken()
    expect(tokenEndpoint.received[0]?.body.toString()).toBe('grant_type=client_credentials')
  })

  test.each<[string, Responder, string]>([
    ['responds with 500', respond('oops hush', 500), 'responded with 500'],
    [
      'rejects the request',
      respond({ error: 'invalid_scope', error_description: 'hush' }, 400),
      'responded with 400: invalid_scope',
    ],
    ['responds with an invalid error code', respond({ error: 'hush\n hush' }, 400), 'responded with 400'],
    ['responds with an HTML page', respond('<html>hush</html>'), 'without an access_token'],
    ['responds with null', respond('null'), 'without an access_token'],
    ['issues a token that fits no header', respond({ access_token: 'a\r\nHost: evil' }), 'without an access_token'],
    ['issues a token of 9 KiB', respond({ access_token: 'a'.repeat(9 * 1024) }), 'without an access_token'],
    ['needs a proof of possession', respond({ access_token: 't', token_type: 'DPoP' }), 'not of type Bearer'],
    ['issues a token of another type', respond({ access_token: 't', token_type: 'mac' }), 'not of type Bearer'],
    ['responds with 70 KiB', respond({ access_token: 't', padding: 'x'.repeat(70 * 1024) }), 'more than 65536 bytes'],
    ['hangs', () => undefined, 'in time'],
    [
      'trickles',
      (_, response) => {
        response.writeHead(200).write('{')
        return undefined
      },
      'in time',
    ],
    [
      'resets',
      (_, response) => {
        response.destroy()
        return undefined
      },
      'the token endpoint: the connection was closed by the receiver',
    ],
  ])('that %s is a failure with the reason and without the secret', async (_what, responder, detail) => {
    tokenEndpoint.respondWith(responder)
    const timeoutMs = detail === 'in time' ? 1_000 : 20_000
    const failure = await fetchToken({ timeoutMs }).catch((error: unknown) => error)
    expect(failure).toMatchObject({ name: 'TokenFailure', message: expect.stringContaining(detail) })
    expect(String(failure)).not.toContain('hush')
  })

  test('that redirects is not followed', async () => {
    tokenEndpoint.respondWith(() => ({ status: 302, headers: { location: `${tokenEndpoint.url}/elsewhere` } }))
    await expect(fetchToken()).rejects.toThrow('responded with 302')
    expect(tokenEndpoint.received.map(({ path }) => path)).toEqual(['/'])
  })

  test('that is down is a failure with the reason', async () => {
    const closed = await receiver()
    await closed.close()
    await expect(fetchToken({ token_url: closed.url })).rejects.toThrow(
      'the token endpoint: the connection was refused',
    )
  })

  test('is resolved and checked at each request, and connected to at the checked address', async () => {
    tokenEndpoint.respondWith(respond({ access_token: 't' }))
    const token_url = tokenEndpoint.url.replace('127.0.0.1', 'id.test')
    const lookups = [['127.0.0.1'], ['127.0.0.1', '169.254.169.254'], []]
    const lookup = async () => lookups.shift() ?? []
    expect(await fetchToken({ token_url, lookup })).toMatchObject({ value: 't' })
    expect(tokenEndpoint.received[0]?.headers.host).toBe(new URL(token_url).host)
    await expect(fetchToken({ token_url, lookup })).rejects.toThrow('an address that is not public')
    await expect(fetchToken({ token_url, lookup })).rejects.toThrow('no address')
    await expect(fetchToken({ allowPrivate: false })).rejects.toThrow('https')
    expect(tokenEndpoint.received).toHaveLength(1)
  })

  test('a shutdown is a local failure', async () => {
    const stop = new AbortController()
    tokenEndpoint.respondWith(() => undefined)
    const fetched = fetchToken({ stop: stop.signal })
    const settled = expect(fetched).rejects.toMatchObject({ name: 'LocalFailure' })
    await tokenEndpoint.waitFor(() => true)
    stop.abort()
    await settled
  })

  test('is requested in a span of the attempt that needs the token, without credentials and path', async () => {
    tokenEndpoint.respondWith(() => (tokenEndpoint.received.length === 1 ? { status: 401 } : issued))
    const token_url = `${tokenEndpoint.url}/tenant/token`
    const spans = await recordedSpans(() => fetchToken({ token_url }))
    const root = spans.find(({ name }) => name === 'root')
    const fetched = (status: number) => ({
      name: 'fetch access token',
      parentSpanId: root?.spanId,
      attributes: { 'http.request.method': 'POST', 'server.address': '127.0.0.1', 'http.response.status_code': status },
    })
    expect(spans.filter(({ name }) => name !== 'root')).toMatchObject([fetched(401), fetched(200)])
    expect(JSON.stringify(spans)).not.toMatch(/hush|tenant/)
  })
})
