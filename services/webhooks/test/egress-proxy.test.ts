import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { type Receiver, receiver } from '@payments/testing/receiver'
import { LocalFailure } from '../src/domain/local-failure.ts'
import { createSender } from '../src/egress/send.ts'
import { createTokenEndpoint } from '../src/egress/token-endpoint.ts'

let endpoint: Receiver
let proxy: Proxy
const closes: (() => void)[] = []
beforeEach(async () => {
  endpoint = await receiver()
  proxy = await startProxy()
})
afterEach(async () => {
  for (const close of closes.splice(0)) close()
  proxy.close()
  await endpoint.close()
})

interface Proxy {
  readonly url: URL
  /** What it was asked to connect to. */
  readonly asked: { authority: string; credentials: string | undefined }[]
  /** Answers with this instead of connecting. */
  refuseWith: number | undefined
  close(): void
}

/** A real CONNECT proxy. */
async function startProxy(): Promise<Proxy> {
  const asked: Proxy['asked'] = []
  const sockets = new Set<Socket>()
  const server = createServer().on('connect', (request: IncomingMessage, client: Socket) => {
    const authority = request.url ?? ''
    asked.push({ authority, credentials: request.headers['proxy-authorization'] })
    if (made.refuseWith !== undefined) {
      client.end(`HTTP/1.1 ${made.refuseWith} No\r\nContent-Length: 2\r\n\r\nno`)
      return
    }
    const { hostname, port } = new URL(`http://${authority}`)
    const upstream = connect(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      upstream.pipe(client).pipe(upstream)
    })
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const made: Proxy = {
    url: new URL(`http://mallory:s%40cret@127.0.0.1:${(server.address() as AddressInfo).port}`),
    asked,
    refuseWith: undefined,
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
  return made
}

const lookup = async () => ['127.0.0.1']

function send(url: string, through = proxy.url) {
  const stop = new AbortController().signal
  const sender = createSender({ allowPrivate: true, stop, lookup, proxy: through })
  closes.push(sender.close)
  return () => sender.send({ url, headers: {}, body: Buffer.from('{}') })
}

describe('by an egress proxy', () => {
  test('an attempt goes to the vetted address under the name of the receiver, on a tunnel that is kept', async () => {
    const port = new URL(endpoint.url).port
    const attempt = send(`http://receiver.example:${port}/hook`)
    expect(await attempt()).toMatchObject({ statusCode: 200, errorKind: null })
    expect(await attempt()).toMatchObject({ statusCode: 200, errorKind: null })
    const credentials = `Basic ${Buffer.from('mallory:s@cret').toString('base64')}`
    expect(proxy.asked).toEqual([{ authority: `127.0.0.1:${port}`, credentials }])
    expect(endpoint.received.map(({ headers, path }) => [headers.host, path])).toEqual([
      [`receiver.example:${port}`, '/hook'],
      [`receiver.example:${port}`, '/hook'],
    ])
    expect(endpoint.received[0]?.headers['proxy-authorization']).toBeUndefined()
  })

  test('TLS is spoken with the receiver, not with the proxy', async () => {
    const attempt = send(`https://receiver.example:${new URL(endpoint.url).port}/`)
    expect(await attempt()).toMatchObject({ statusCode: null, errorKind: 'tls' })
    expect(proxy.asked).toHaveLength(1)
    expect(endpoint.received).toEqual([])
  })

  test.each([
    [403, 'blocked_address', 'connections to the receiver are not allowed'],
    [502, 'connect', 'the receiver cannot be reached'],
    [504, 'connect', 'the receiver cannot be reached'],
  ])(
    'its %i is an attempt that failed: %s, and the detail does not name the proxy',
    async (status, errorKind, errorDetail) => {
      proxy.refuseWith = status
      const outcome = await send(endpoint.url)()
      expect(outcome).toMatchObject({
        statusCode: null,
        errorKind,
        errorDetail,
        responseBody: null,
      })
      expect(endpoint.received).toEqual([])
    },
  )

  test.each([407, 500, 503])('its %i is our own fault, and charged to nobody', async (status) => {
    proxy.refuseWith = status
    await expect(send(endpoint.url)()).rejects.toThrow(LocalFailure)
    expect(endpoint.received).toEqual([])
  })

  test('that is down is our own fault, and nothing goes past it', async () => {
    proxy.close()
    await expect(send(endpoint.url)()).rejects.toThrow(LocalFailure)
    expect(endpoint.received).toEqual([])
  })

  test('tokens are fetched the same way', async () => {
    endpoint.respondWith(() => ({ status: 200, body: JSON.stringify({ access_token: 'abc', expires_in: 300 }) }))
    const options = { allowPrivate: true, lookup, stop: new AbortController().signal, proxy: proxy.url }
    const config = {
      type: 'oauth2_client_credentials',
      token_url: `http://tokens.example:${new URL(endpoint.url).port}/token`,
      client_id: 'a',
      client_secret: 'b',
    } as const
    expect(await createTokenEndpoint(options)(config)).toMatchObject({ value: 'abc' })
    expect(proxy.asked).toHaveLength(1)
    proxy.refuseWith = 407
    await expect(createTokenEndpoint(options)(config)).rejects.toThrow(LocalFailure)
  })
})
