import { type AddressInfo, createServer, type Socket } from 'node:net'

/**
 * Calls `received(head, body)` for each HTTP/1.1 message of a socket, one message at a time, both parts as latin1. A
 * plain socket costs less CPU than `node:http`, so load and receiver take little from the measured process. Bodies need
 * a Content-Length; chunked bodies are not supported.
 */
export function onMessage(socket: Socket, received: (head: string, body: string) => void): void {
  let text = ''
  socket.setNoDelay(true).setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    text = text === '' ? chunk : text + chunk
    const headEnd = text.indexOf('\r\n\r\n')
    if (headEnd === -1) return
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(text)?.[1] ?? 0)
    if (text.length < headEnd + 4 + length) return
    const message = text
    text = ''
    received(message.slice(0, headEnd), message.slice(headEnd + 4))
  })
}

/** Listens on a free port. Returns the URL. */
export async function listenForMessages(received: (body: string, socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    onMessage(socket, (_head, body) => received(body, socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}
