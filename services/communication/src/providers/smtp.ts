import { once } from 'node:events'
import { domainToASCII } from 'node:url'
import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { acceptedOutcome, type Message, type Provider, refusedOutcome, type SendOutcome, timedOut } from './provider.ts'

export interface SmtpOptions {
  readonly host: string
  readonly port: number
  /** `implicit`: TLS from the first byte. `required`: STARTTLS. `optional`: STARTTLS if the server has it. */
  readonly tls: 'implicit' | 'required' | 'optional'
  readonly credentials: { readonly user: string; readonly pass: string } | null
  readonly fromAddress: string
}

const connectTimeoutMs = 5_000
const silenceMsMax = 8_000
const responseBytesMax = 64 * 1024

/**
 * Sends email over SMTP, on one connection per message; the delivery loop bounds their number. `Message-ID` is the same
 * for each attempt. A rejected sender or login is `unavailable`, because the operator corrects it. The domain of a
 * recipient is sent in ASCII (RFC 5891), and a mailbox beyond ASCII to a server with SMTPUTF8 only (RFC 6531).
 */
export function createSmtp(options: SmtpOptions): Provider {
  const domain = options.fromAddress.slice(options.fromAddress.lastIndexOf('@') + 1)
  return {
    name: 'smtp',
    send: async (message, signal) => {
      const messageId = `<${message.id}@${domain}>`
      const mail = await compose(message, messageId, options.fromAddress)
      const connection = new SMTPConnection({
        host: options.host,
        port: options.port,
        secure: options.tls === 'implicit',
        requireTLS: options.tls === 'required',
        connectionTimeout: connectTimeoutMs,
        greetingTimeout: connectTimeoutMs,
        dnsTimeout: connectTimeoutMs,
        socketTimeout: silenceMsMax,
        socketCloseTimeout: 0,
        maxResponseSize: responseBytesMax,
        logger: false,
      })
      // A late failure of a session that has ended changes nothing.
      connection.on('error', () => {})
      try {
        const envelope = { from: options.fromAddress, to: [sentAddress(message.recipient)] }
        signal.throwIfAborted()
        const sent = transmit(connection, options.credentials, envelope, mail)
        await Promise.race([sent, throwNextError(connection, signal)])
        connection.quit()
        return acceptedOutcome(messageId)
      } catch (error) {
        connection.close()
        return signal.aborted ? timedOut : classifyFailure(error)
      }
    },
  }
}

async function compose(message: Message, messageId: string, fromAddress: string): Promise<Buffer> {
  const { fromName, replyTo, subject, text, html } = message.content
  const composer = new MailComposer({
    from: { name: fromName, address: fromAddress },
    to: { name: '', address: message.recipient },
    ...(replyTo === null ? {} : { replyTo: { name: '', address: replyTo } }),
    subject: subject ?? '',
    text,
    ...(html === null ? {} : { html }),
    messageId,
    // Text of tenants names no file and no URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return composer.compile().build()
}

async function transmit(
  connection: SMTPConnection,
  credentials: SmtpOptions['credentials'],
  envelope: { from: string; to: string[] },
  mail: Buffer,
): Promise<void> {
  await promisify((done) => connection.connect(done))
  // The response to EHLO.
  const hasUtf8 = /^250[ -]SMTPUTF8\b/im.test(String(connection.lastServerResponse))
  if (!hasUtf8 && !isAscii(envelope.to.join())) {
    throw new UnsendableAddress('The mail server takes no address with characters beyond ASCII')
  }
  if (credentials !== null) await promisify((done) => connection.login(credentials, done))
  await promisify((done) => connection.send(envelope, mail, done))
}

/** The address that a server gets. Throws UnsendableAddress for a domain that no DNS name can have. */
function sentAddress(recipient: string): string {
  const at = recipient.lastIndexOf('@')
  const domain = recipient.slice(at + 1)
  if (isAscii(domain)) return recipient
  const ascii = domainToASCII(domain)
  if (ascii === '') throw new UnsendableAddress('The domain of the address has no name in ASCII')
  return `${recipient.slice(0, at)}@${ascii}`
}

const isAscii = (text: string) => /^[\0-\x7f]*$/.test(text)

/** The message is refused for good, with this message. */
class UnsendableAddress extends Error {}

function promisify(start: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    start((error) => (error == null ? resolve() : reject(error)))
  })
}

async function throwNextError(connection: SMTPConnection, signal: AbortSignal): Promise<never> {
  const [error] = (await once(connection, 'error', { signal })) as [Error]
  throw error
}

function classifyFailure(error: unknown): SendOutcome {
  if (error instanceof UnsendableAddress) return refusedOutcome(error.message)
  const { responseCode, response, command, code } = error as Record<string, unknown>
  // nodemailer sends no address that would end the command.
  if (code === 'EENVELOPE' && responseCode === undefined) return refusedOutcome('SMTP cannot send to the address')
  const isPermanent = typeof responseCode === 'number' && responseCode >= 500 && responseCode < 600
  if (isPermanent && (command === 'RCPT TO' || command === 'DATA')) return refusedOutcome(String(response))
  if (typeof responseCode === 'number')
    return { kind: 'unavailable', reason: `SMTP ${responseCode} to ${String(command)}` }
  return { kind: 'unavailable', reason: typeof code === 'string' ? code : 'unknown' }
}
