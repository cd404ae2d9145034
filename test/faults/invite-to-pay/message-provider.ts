import { randomBytes } from 'node:crypto'
import { freePorts } from '@payments/devkit/machine/ports'
import { receiver } from '@payments/testing/peers/receiver'
import { type TcpProxy, tcpProxy } from '@payments/testing/peers/tcp-proxy'
import { Webhook } from 'standardwebhooks'

export interface AcceptedMessage {
  readonly id: string
  readonly recipient: string
  readonly text: string
}

/** accepts · fails: 500 · loses: accepts, and its response is lost */
type Mode = 'accepts' | 'fails' | 'loses'

/** A provider of SMS behind the protocol `http` of communication. A repeated id is one message. */
export interface MessageProvider {
  /** Variables of communication. */
  readonly env: Readonly<Record<string, string>>
  /** Its port: `cut` makes it unreachable. */
  readonly port: TcpProxy
  readonly behave: (mode: Mode) => void
  /** Requests that got no 200. */
  readonly failed: () => number
  readonly accepted: () => readonly AcceptedMessage[]
  readonly stop: () => Promise<void>
}

export async function startMessageProvider(): Promise<MessageProvider> {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const server = await receiver()
  const accepted = new Map<string, AcceptedMessage>()
  let mode: Mode = 'accepts'
  let failed = 0
  server.respondWith(({ headers, body }, response) => {
    const message = new Webhook(secret).verify(body, headers as Record<string, string>) as AcceptedMessage
    if (mode !== 'accepts') failed += 1
    if (mode === 'fails') return { status: 500 }
    accepted.set(message.id, message)
    if (mode === 'accepts') return { status: 200, body: JSON.stringify({ id: `sms-${message.id}` }) }
    response.destroy()
    return undefined
  })
  const [free = 0] = await freePorts(1)
  const port = await tcpProxy(free, server.url)
  return {
    env: {
      COMMUNICATION_SMS_PROVIDER: 'http',
      COMMUNICATION_HTTP_URL: port.url,
      COMMUNICATION_HTTP_SECRET: secret,
    },
    port,
    behave: (next) => {
      mode = next
    },
    failed: () => failed,
    accepted: () => [...accepted.values()],
    stop: async () => {
      await port.cut()
      await server.close()
    },
  }
}
