/**
 * The load of a bench, a process of its own: GET requests over plain sockets, so that what makes them costs little beside what
 * answers them. Told `{port, path, headers, seconds, connections, perSecond}`, answers `{requests, failures, p50Ms, p99Ms}`;
 * `failures` says how often each thing but a 200 was answered.
 *
 * Without `perSecond` each connection asks again as soon as it is answered. With it requests are due at even intervals, and one
 * that is due while every connection is busy waits its turn; its latency is counted from when it was due, not from when it was sent.
 */
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { onMessage } from './plain-http.mjs'

process.on('message', async (order) => process.send(await load(order)))
process.send({})

/** A random UUID for each request would cost more than the request: only the last digits change. */
const tracePrefix = randomBytes(9)
  .toString('hex')
  .replace(/^(.{8})(.{4}).(.{3}).(.{1}).*$/, '$1-$2-4$3-800$4')
let sent = 0
const traceId = () => `${tracePrefix}-${(sent++).toString(16).padStart(12, '0')}`

async function load({ port, path, headers, seconds, connections, perSecond = null }) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `GET ${path} HTTP/1.1\r\nHost: bench\r\n${lines.join('')}Trace-ID: `
  const ends = performance.now() + seconds * 1_000
  const latencies = []
  const waiting = []
  const idle = []
  const failures = {}
  const fail = (what) => {
    failures[what] = (failures[what] ?? 0) + 1
  }
  const clients = await Promise.all(Array.from({ length: connections }, () => open(port)))
  const ask = (client, dueAt) => {
    client.answered = (status) => {
      latencies.push(performance.now() - dueAt)
      if (status !== '200') fail(status)
      if (perSecond === null) {
        if (performance.now() < ends) ask(client, performance.now())
        else client.finish()
      } else if (waiting.length > 0) ask(client, waiting.shift())
      else idle.push(client)
    }
    client.socket.write(`${head}${traceId()}\r\n\r\n`)
  }
  if (perSecond === null) for (const client of clients) ask(client, performance.now())
  else {
    idle.push(...clients)
    await pace(perSecond, ends, (dueAt) => {
      if (idle.length > 0) ask(idle.pop(), dueAt)
      else waiting.push(dueAt)
    })
    for (const deadline = performance.now() + 20_000; idle.length < connections && performance.now() < deadline; )
      await new Promise((resolve) => setTimeout(resolve, 5))
    for (let left = connections - idle.length + waiting.length; left > 0; left -= 1) fail('unanswered')
    for (const client of idle) client.finish()
  }
  if (perSecond === null) await Promise.all(clients.map(({ finished }) => finished))
  for (const { socket } of clients) socket.destroy()
  latencies.sort((a, b) => a - b)
  const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))]
  return { requests: latencies.length, failures, p50Ms: at(0.5), p99Ms: at(0.99) }
}

/** Timers are of whole milliseconds: each time one fires, whatever has come due since goes out. */
function pace(perSecond, ends, due) {
  return new Promise((resolve) => {
    let next = performance.now()
    const tick = () => {
      const now = performance.now()
      for (; next <= now && next < ends; next += 1_000 / perSecond) due(next)
      if (now >= ends) resolve()
      else setImmediate(tick)
    }
    tick()
  })
}

function open(port) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    const client = { socket, answered: () => {}, finish: () => {}, finished: undefined }
    client.finished = new Promise((finish) => {
      client.finish = finish
    })
    onMessage(socket, (head) => client.answered(head.slice(9, 12)))
    socket.on('close', () => {
      client.answered('closed')
      client.finish()
    })
    socket.once('connect', () => resolve(client))
    socket.once('error', reject)
  })
}
