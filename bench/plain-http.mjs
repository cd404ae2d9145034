/** HTTP/1.1 over a plain socket, one message after the other, for the end of a bench that should cost little. */

/** Calls `received(head, body)` for each message, both as latin1. Knows bodies by their Content-Length only. */
export function onMessage(socket, received) {
  let text = ''
  socket.setNoDelay(true).setEncoding('latin1')
  socket.on('data', (chunk) => {
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
