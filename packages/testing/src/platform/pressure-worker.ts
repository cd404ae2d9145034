/** The thread of pressure.ts. */
import { connect, type Socket } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import type { Pressure, PressureCounts } from './pressure.ts'

const tickMs = 10
const slowReadEveryMs = 2_000

const { port, addresses, connections, connectionsPerSecond, opening, repeated, reads, seconds }: Pressure = workerData
const counts = { opened: 0, closed: 0, written: 0, receivedBytes: 0, statuses: {} as Record<string, number> }
const open = new Set<Socket>()
let number = 0
let isOver = false

function write(socket: Socket, text: string): void {
  if (!socket.writable || socket.writableNeedDrain) return
  counts.written += 1
  socket.write(text.replaceAll('{n}', () => String(number++)))
}

function openOne(): void {
  const localAddress = addresses[counts.opened % addresses.length] ?? '127.0.0.1'
  const socket = connect({ host: '127.0.0.1', port, localAddress, noDelay: true })
  counts.opened += 1
  open.add(socket)
  let timer: NodeJS.Timeout | undefined
  socket.once('connect', () => {
    write(socket, opening)
    if (repeated !== undefined) timer = setInterval(() => write(socket, repeated.text), repeated.everyMs)
    else if (reads === 'slowly') timer = setInterval(() => socket.resume(), slowReadEveryMs)
  })
  socket.on('data', (chunk: Buffer) => {
    counts.receivedBytes += chunk.length
    if (reads === 'slowly') socket.pause()
    for (const [, status = ''] of chunk.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
      counts.statuses[status] = (counts.statuses[status] ?? 0) + 1
    }
  })
  if (reads !== 'all') socket.pause()
  // The server may reset connections under pressure.
  socket.on('error', () => {})
  socket.once('close', () => {
    clearInterval(timer)
    open.delete(socket)
    if (!isOver) counts.closed += 1
  })
}

let due = 0
const opener = setInterval(() => {
  due = Math.min(due + (connectionsPerSecond * tickMs) / 1000, connectionsPerSecond)
  for (; due >= 1; due -= 1) if (open.size < connections) openOne()
}, tickMs)

setTimeout(() => {
  isOver = true
  clearInterval(opener)
  for (const socket of open) socket.destroy()
  parentPort?.postMessage(counts satisfies PressureCounts)
}, seconds * 1000)
