import { createSocket, type RemoteInfo } from 'node:dgram'
import type { AddressInfo } from 'node:net'

/**
 * A DNS server on loopback with the addresses that a test sets, for A and AAAA queries. Responses have a TTL of 0.
 * Other names do not exist.
 */
export interface DnsServer {
  /** `127.0.0.1:<port>`, as a resolver takes it. */
  readonly address: string
  /** Received queries, oldest first. */
  readonly queries: readonly { readonly name: string; readonly type: 'A' | 'AAAA' }[]
  /**
   * Sets the addresses of a name. Each query takes the next list, and the last list repeats; without a list, the
   * server does not respond.
   */
  readonly setAddresses: (name: string, ...turns: (readonly string[])[]) => void
  readonly close: () => Promise<void>
}

const types: Readonly<Record<number, 'A' | 'AAAA'>> = { 1: 'A', 28: 'AAAA' }
const headerBytes = 12
const noSuchName = 3

export async function dnsServer(): Promise<DnsServer> {
  const queries: { name: string; type: 'A' | 'AAAA' }[] = []
  const zone = new Map<string, (readonly string[])[]>()
  const socket = createSocket('udp4')
  socket.on('message', (message: Buffer, from: RemoteInfo) => {
    const { name, typeCode, end } = parseQuestion(message)
    const type = types[typeCode]
    if (type === undefined) return
    queries.push({ name, type })
    const turns = zone.get(name)
    const addresses = turns !== undefined && turns.length > 1 ? turns.shift() : turns?.[0]
    if (turns !== undefined && addresses === undefined) return
    const fitting = (addresses ?? []).filter((address) => address.includes(':') === (type === 'AAAA'))
    const reply = replyTo(message.subarray(0, end), typeCode, fitting, turns === undefined ? noSuchName : 0)
    socket.send(reply, from.port, from.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  return {
    address: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    queries,
    setAddresses: (name, ...turns) => zone.set(name, turns),
    close: () => new Promise((resolve) => socket.close(resolve)),
  }
}

/** The first query of a message (resolvers send one); `end` is its end in the message. */
function parseQuestion(message: Buffer): { name: string; typeCode: number; end: number } {
  const labels: string[] = []
  let at = headerBytes
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length).toLowerCase())
    at += 1 + length
  }
  return { name: labels.join('.'), typeCode: message.readUInt16BE(at + 1), end: at + 5 }
}

/** RFC 1035, 4.1: header, the query, and a record per address with a TTL of 0. */
function replyTo(question: Buffer, typeCode: number, addresses: readonly string[], code: number): Buffer {
  const header = Buffer.from(question.subarray(0, headerBytes))
  header.writeUInt16BE(0x8580 | code, 2)
  header.writeUInt16BE(addresses.length, 6)
  header.fill(0, 8)
  const records = addresses.flatMap((address) => {
    const data = toBytes(address)
    const fields = Buffer.alloc(12)
    fields.writeUInt16BE(0xc000 | headerBytes, 0)
    fields.writeUInt16BE(typeCode, 2)
    fields.writeUInt16BE(1, 4)
    fields.writeUInt16BE(data.length, 10)
    return [fields, data]
  })
  return Buffer.concat([header, question.subarray(headerBytes), ...records])
}

/** An IPv6 address is written out in full here: `2606:4700:0:0:0:0:0:1111`. */
function toBytes(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number))
  return Buffer.from(
    address
      .split(':')
      .map((group) => group.padStart(4, '0'))
      .join(''),
    'hex',
  )
}
