import type { AddressInfo } from 'node:net'
import { Server, type Socket } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

interface Mail {
  readonly from: string
  readonly to: readonly string[]
  readonly source: string
}

export interface Mailbox {
  readonly port: number
  readonly mails: readonly Mail[]
  close(): Promise<void>
}

/** A real SMTP server on loopback. `options` add replies that refuse. */
export async function mailServer(options: SMTPServerOptions = {}): Promise<Mailbox> {
  const mails: Mail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    disableReverseLookup: true,
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        const from = mailFrom === false ? '' : (mailFrom?.address ?? '')
        mails.push({ from, to: rcptTo.map(({ address }) => address), source: Buffer.concat(chunks).toString('utf8') })
        done()
      })
    },
    ...options,
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** A reply code as smtp-server takes it. */
export function smtpError(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode })
}

/** A TCP server that does with each connection what the test says. */
export async function tcpServer(connected: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = new Server((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    connected(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
