import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { parseJson } from '../grammar/json.ts'
import { hasUnstorableText, storableText } from '../grammar/unstorable-text.ts'
import { type AuditRecord, auditRecord } from '../services/audit/contract.ts'

/**
 * An audit record on its way from the gateway to the audit service: one line, `<CRC-32 in hex> <JSON>\n`. The gateway
 * writes it to its file once; the same bytes travel in the message, many lines in one, so nothing is encoded twice, and
 * the check made at the very end covers disk and wire alike.
 */
export const auditQueue = {
  /** Producers publish to the exchange; only the audit service has access to the queue. */
  exchange: 'audit-records',
  /** Messages with records of any tenant. */
  name: 'audit.records',
  /** Each has the records of a share of the tenants. A gateway uses them for many records at a time. */
  shards: ['audit.records.0', 'audit.records.1', 'audit.records.2', 'audit.records.3'],
  /** Gets messages with a line that cannot be read; their other lines are stored. */
  quarantine: 'audit.quarantine',
  deliveryLimit: 20,
  /** Each up to `auditMessageBytesMax`. A full queue refuses, and the gateway's file grows. */
  lengthMax: 20_000,
  /** Together, the shards hold as many messages. */
  shardLengthMax: 5_000,
} as const

export const auditMessageBytesMax = 128 * 1024

const crcDigits = 8

/** Text that PostgreSQL cannot store, as in the target of a request that the HTTP parser rejects, becomes U+FFFD. */
export function encodeAuditLine(record: AuditRecord): string {
  const written = JSON.stringify(record)
  const json = hasUnstorableText(written) ? JSON.stringify(record, storable) : written
  return `${crc32(json).toString(16).padStart(crcDigits, '0')} ${json}\n`
}

const storable = (_name: string, value: unknown): unknown => (typeof value === 'string' ? storableText(value) : value)

/** The records of the whole lines in `bytes`, and how many lines are not what was written. */
export function decodeAuditLines(bytes: Buffer): { records: AuditRecord[]; unreadable: number } {
  const records: AuditRecord[] = []
  let unreadable = 0
  for (const line of bytes.toString('utf8').split('\n')) {
    if (line === '') continue
    const record = decode(line)
    if (record === undefined) unreadable += 1
    else records.push(record)
  }
  return { records, unreadable }
}

function decode(line: string): AuditRecord | undefined {
  const json = line.slice(crcDigits + 1)
  if (crc32(json) !== Number.parseInt(line.slice(0, crcDigits), 16)) return undefined
  // Its INSERT would fail, and with it the INSERT of each other record of the message.
  if (hasUnstorableText(json)) return undefined
  return auditRecord.safeParse(parseJson(json)).data
}

/** A process that publishes audit messages: a gateway, or a service that records what operators do. */
export interface AuditProducer {
  readonly name: string
  readonly key: KeyObject
}

const producerHeader = 'audit-producer'
const macHeader = 'audit-mac'

/** The headers of a message: its producer, and an HMAC-SHA256 over producer and body. */
export function signAuditMessage({ name, key }: AuditProducer, body: Buffer): Readonly<Record<string, string>> {
  return { [producerHeader]: name, [macHeader]: messageMac(name, key, body).toString('base64url') }
}

/** unsigned: without the headers · unknown_producer: no key of that name · forged: another HMAC than the body has. */
export const auditMessageRejections = ['unsigned', 'unknown_producer', 'forged'] as const
export type AuditMessageRejection = (typeof auditMessageRejections)[number]

/** The name of the producer, or why the message is not one of its. */
export function verifyAuditMessage(
  headers: Readonly<Record<string, unknown>>,
  body: Buffer,
  keys: ReadonlyMap<string, KeyObject>,
): { readonly producer: string } | { readonly rejection: AuditMessageRejection } {
  const { [producerHeader]: producer, [macHeader]: mac } = headers
  if (typeof producer !== 'string' || typeof mac !== 'string') return { rejection: 'unsigned' }
  const key = keys.get(producer)
  if (key === undefined) return { rejection: 'unknown_producer' }
  const [expected, given] = [messageMac(producer, key, body), Buffer.from(mac, 'base64url')]
  const isGenuine = given.length === expected.length && timingSafeEqual(given, expected)
  return isGenuine ? { producer } : { rejection: 'forged' }
}

/** The purpose comes first, so that no HMAC of another use of a key is one of a message. */
function messageMac(producer: string, key: KeyObject, body: Buffer): Buffer {
  return createHmac('sha256', key).update(`audit-message 1\n${producer}\n`).update(body).digest()
}
