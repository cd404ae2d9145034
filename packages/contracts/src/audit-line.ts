import { crc32 } from 'node:zlib'
import { type AuditRecord, auditRecord } from './audit.ts'

/**
 * An audit record on its way from the gateway to the audit service: one line, `<CRC-32 in hex> <JSON>\n`. The gateway writes it
 * to its file once; the same bytes travel in the message, many lines in one, so nothing is encoded twice, and the check made
 * at the very end covers disk and wire alike.
 */
export const auditQueue = {
  name: 'audit.records',
  /** Gets messages with a line that cannot be read; their other lines are stored. */
  quarantine: 'audit.quarantine',
  deliveryLimit: 20,
  /** Each up to `auditMessageBytesMax`. A full queue refuses, and the gateway's file grows. */
  lengthMax: 20_000,
} as const

export const auditMessageBytesMax = 128 * 1024

const crcDigits = 8

export function encodeAuditLine(record: AuditRecord): string {
  const json = JSON.stringify(record)
  return `${crc32(json).toString(16).padStart(crcDigits, '0')} ${json}\n`
}

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
  try {
    return auditRecord.safeParse(JSON.parse(json)).data
  } catch {
    // The checksum of no JSON: nothing of ours wrote this line.
    return undefined
  }
}
