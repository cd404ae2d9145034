import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { LocalFailure } from '@payments/egress/local-failure'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
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
  /** The CONNECT requests. */
  readonly requests: { authority: string; credentials: string | undefined }[]
  /** The status with which the proxy rejects requests. */
  rejectWith: number | undefined
  close(): void
}

/** A real CONNECT proxy. */
async function startProxy(): Promise<Proxy> {
  const requests: Proxy['requests'] = []
  const sockets = new Set<Socket>()
  const server = createServer().on('connect', (request: IncomingMessage, client: Socket) => {
    const authority = request.url ?? ''
    requests.push({ authority, credentials: request.headers['proxy-authorization'] })
    if (started.rejectWith !== undefined) {
      client.end(`HTTP/1.1 ${started.rejectWith} No\r\nContent-Length: 2\r\n\r\nno`)
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
  const started: Proxy = {
    url: new URL(`http://mallory:s%40cret@127.0.0.1:${(server.address() as AddressInfo).port}`),
    requests,
    rejectWith: undefined,
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
  return started
}

const lookup = async () => ['127.0.0.1']

function send(url: string, through = proxy.url) {
  const stop = new AbortController().signal
  const sender = createSender({ allowPrivate: true, stop, lookup, proxy: through })
  closes.push(sender.close)
  return () => sender.send({ url, headers: {}, body: Buffer.from('{}') })
}

describe('through an egress proxy', () => {
  test('sends an attempt to the checked address with the name of the receiver, and reuses the tunnel', async () => {
    const port = new URL(endpoint.url).port
    const attempt = send(`http://receiver.example:${port}/hook`)
    expect(await attempt()).toMatchObject({ statusCode: 200, errorKind: null })
    expect(await attempt()).toMatchObject({ statusCode: 200, errorKind: null })
    const credentials = `Basic ${Buffer.from('mallory:s@cret').toString('base64')}`
    expect(proxy.requests).toEqual([{ authority: `127.0.0.1:${port}`, credentials }])
    expect(endpoint.received.map(({ headers, path }) => [headers.host, path])).toEqual([
      [`receiver.example:${port}`, '/hook'],
      [`receiver.example:${port}`, '/hook'],
    ])
    expect(endpoint.received[0]?.headers['proxy-authorization']).toBeUndefined()
  })

  test('establishes TLS with the receiver, not with the proxy', async () => {
    const attempt = send(`https://receiver.example:${new URL(endpoint.url).port}/`)
    expect(await attempt()).toMatchObject({ statusCode: null, errorKind: 'tls' })
    expect(proxy.requests).toHaveLength(1)
    expect(endpoint.received).toEqual([])
  })

  test.each([
    [403, 'blocked_address', 'connections to the receiver are not allowed'],
    [502, 'connect', 'the receiver cannot be reached'],
    [504, 'connect', 'the receiver cannot be reached'],
  ])(
    'a %i of the proxy is a failed attempt of kind %s, without the name of the proxy',
    async (status, errorKind, errorDetail) => {
      proxy.rejectWith = status
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

  test.each([407, 500, 503])(
    'a %i of the proxy is a local failure, which does not count as an attempt',
    async (status) => {
      proxy.rejectWith = status
      await expect(send(endpoint.url)()).rejects.toThrow(LocalFailure)
      expect(endpoint.received).toEqual([])
    },
  )

  test('an unreachable proxy is a local failure, and no request bypasses the proxy', async () => {
    proxy.close()
    await expect(send(endpoint.url)()).rejects.toThrow(LocalFailure)
    expect(endpoint.received).toEqual([])
  })

  test('fetches tokens in the same way', async () => {
    endpoint.respondWith(() => ({ status: 200, body: JSON.stringify({ access_token: 'abc', expires_in: 300 }) }))
    const options = { allowPrivate: true, lookup, stop: new AbortController().signal, proxy: proxy.url }
    const config = {
      type: 'oauth2_client_credentials',
      token_url: `http://tokens.example:${new URL(endpoint.url).port}/token`,
      client_id: 'a',
      client_secret: 'b',
    } as const
    expect(await createTokenEndpoint(options)(config)).toMatchObject({ value: 'abc' })
    expect(proxy.requests).toHaveLength(1)
    proxy.rejectWith = 407
    await expect(createTokenEndpoint(options)(config)).rejects.toThrow(LocalFailure)
  })
})
