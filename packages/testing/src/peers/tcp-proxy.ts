import { createServer, connect as dial, type Server, type Socket } from 'node:net'
import { testAddress } from '@payments/devkit/tests/test-address'

export interface TcpProxy {
  readonly url: string
  /** Stops forwarding bytes to the broker until `cut`; bytes from the broker still arrive. */
  hold(): void
  cut(): Promise<void>
  restore(): Promise<void>
}

/**
 * A TCP proxy before the broker. `cut` closes its connections and rejects new ones; `restore` accepts connections
 * again.
 */
export async function tcpProxy(port: number, brokerUrl = testAddress('TEST_AMQP_URL')): Promise<TcpProxy> {
  const url = new URL(brokerUrl)
  const { hostname, port: brokerPort } = url
  url.hostname = '127.0.0.1'
  url.port = String(port)
  const pairs = new Set<readonly [client: Socket, broker: Socket]>()
  const end = (pair: readonly Socket[]) => {
    for (const socket of pair) socket.destroy()
  }
  let server: Server
  const restore = () =>
    new Promise<void>((resolve, reject) => {
      server = createServer((client) => {
        const pair = [client, dial(Number(brokerPort), hostname)] as const
        pairs.add(pair)
        for (const socket of pair) socket.on('error', () => end(pair)).on('close', () => end(pair))
        client.on('close', () => pairs.delete(pair))
        client.pipe(pair[1]).pipe(client)
      })
      server.once('error', reject)
      server.listen(port, '127.0.0.1', resolve)
    })
  await restore()
  return {
    url: url.href,
    restore,
    hold() {
      for (const [client, broker] of pairs) client.unpipe(broker).pause()
    },
    cut: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const pair of pairs) end(pair)
      }),
  }
}
