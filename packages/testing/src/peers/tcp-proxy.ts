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
  const broker = new URL(brokerUrl)
  const sockets = new Set<Socket>()
  const pairs = new Set<{ clientSide: Socket; serverSide: Socket }>()
  let server: Server
  const track = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
  }
  const restore = () =>
    new Promise<void>((resolve, reject) => {
      server = createServer((clientSide) => {
        const serverSide = dial(Number(broker.port), broker.hostname)
        track(clientSide)
        track(serverSide)
        clientSide.pipe(serverSide).pipe(clientSide)
        const pair = { clientSide, serverSide }
        pairs.add(pair)
        clientSide.on('close', () => {
          pairs.delete(pair)
          serverSide.destroy()
        })
        serverSide.on('close', () => clientSide.destroy())
      })
      server.once('error', reject)
      server.listen(port, '127.0.0.1', resolve)
    })
  await restore()
  const url = new URL(broker)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return {
    url: url.href,
    restore,
    hold() {
      for (const { clientSide, serverSide } of pairs) clientSide.unpipe(serverSide).pause()
    },
    cut: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
