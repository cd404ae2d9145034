#!/usr/bin/env node
// A webhook endpoint for demonstrations. Prints requests; responds with 200, or with the status in the second
// parameter. node scripts/platform/demo-receiver.mjs [port] [status]
import { createServer } from 'node:http'

const [port = '9900', status = '200'] = process.argv.slice(2)
const bodyBytesMax = 1024 * 1024

const server = createServer((request, response) => {
  const chunks = []
  let bytes = 0
  request.on('data', (chunk) => {
    bytes += chunk.length
    if (bytes > bodyBytesMax) request.destroy()
    else chunks.push(chunk)
  })
  request.on('end', () => {
    const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = request.headers
    console.log(`\n${new Date().toISOString()} ${request.method} ${request.url}`)
    console.log({ 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature })
    console.log(Buffer.concat(chunks).toString('utf8'))
    response.writeHead(Number(status)).end()
  })
})
server.once('error', ({ message }) => {
  console.error(`${message}. Give another port: node scripts/platform/demo-receiver.mjs <port> [status]`)
  process.exitCode = 1
})
server.listen(Number(port), '127.0.0.1', () => console.log(`Listening on http://127.0.0.1:${port}/, status ${status}`))
