import { createServer, connect as dial, type Server, type Socket } from 'node:net'
import { testAddress } from '@payments/devkit/test-address'

export interface TcpProxy {
  readonly url: string
  /** From now on and until it is cut, what is said to the broker is kept back; what the broker says still comes. */
  hold(): void
  cut(): Promise<void>
  mend(): Promise<void>
}

/** A way to the broker that a test can cut: connections break, and new ones are refused. */
export async function tcpProxy(port: number, brokerUrl = testAddress('TEST_AMQP_URL')): Promise<TcpProxy> {
  const broker = new URL(brokerUrl)
  const sockets = new Set<Socket>()
  const ways = new Set<{ near: Socket; far: Socket }>()
  let server: Server
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
  }
  const mend = () =>
    new Promise<void>((resolve, reject) => {
      server = createServer((near) => {
        const far = dial(Number(broker.port), broker.hostname)
        keep(near)
        keep(far)
        near.pipe(far).pipe(near)
        const way = { near, far }
        ways.add(way)
        near.on('close', () => {
          ways.delete(way)
          far.destroy()
        })
        far.on('close', () => near.destroy())
      })
      server.once('error', reject)
      server.listen(port, '127.0.0.1', resolve)
    })
  await mend()
  const url = new URL(broker)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return {
    url: url.href,
    mend,
    hold() {
      for (const { near, far } of ways) near.unpipe(far).pause()
    },
    cut: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
