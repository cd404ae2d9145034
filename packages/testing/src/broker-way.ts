import { createServer, connect as dial, type Server, type Socket } from 'node:net'
import { testAddress } from './database.ts'

export interface BrokerWay {
  readonly url: string
  cut(): Promise<void>
  mend(): Promise<void>
}

/** A way to the broker that a test can cut: connections break, and new ones are refused. */
export async function brokerWay(port: number): Promise<BrokerWay> {
  const broker = new URL(testAddress('TEST_AMQP_URL'))
  const sockets = new Set<Socket>()
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
        near.on('close', () => far.destroy())
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
    cut: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
