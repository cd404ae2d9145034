import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { dnsServer } from '@payments/testing/peers/dns-server'
import { certificate } from './certificate.ts'

/**
 * A public https receiver on this machine: its name resolves to a public address, and the egress proxy of the
 * installation connects that address to a server on loopback.
 */
export interface Endpoint {
  /** The settings of the installation: resolver and egress proxy. */
  readonly settings: Readonly<Record<string, string>>
  readonly received: readonly { readonly headers: IncomingMessage['headers']; readonly body: Buffer }[]
  /** The addresses of the CONNECT requests. */
  readonly tunnels: readonly string[]
  readonly close: () => Promise<void>
}

const publicAddress = '93.184.215.14'

export async function startEndpoint(name: string): Promise<Endpoint> {
  const received: Endpoint['received'][number][] = []
  const tunnels: string[] = []
  const sockets = new Set<Socket>()
  const receiver = createHttpsServer(certificate, async (request, response) => {
    received.push({ headers: request.headers, body: await buffer(request) })
    response.writeHead(204).end()
  })
  const proxy = createHttpServer().on('connect', (request: IncomingMessage, client: Socket) => {
    tunnels.push(request.url ?? '')
    const upstream = connect((receiver.address() as AddressInfo).port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      upstream.pipe(client).pipe(upstream)
    })
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
    }
  })
  await Promise.all([receiver, proxy].map((server) => once(server.listen(0, '127.0.0.1'), 'listening')))
  const dns = await dnsServer()
  dns.setAddresses(name, [publicAddress])
  return {
    settings: {
      WEBHOOKS_DNS_SERVERS: dns.address,
      WEBHOOKS_EGRESS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    },
    received,
    tunnels,
    async close() {
      receiver.close()
      proxy.close()
      for (const socket of sockets) socket.destroy()
      await dns.close()
    },
  }
}
