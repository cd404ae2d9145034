import type { IncomingMessage } from 'node:http'

/** All values of a header. Node joins or drops duplicates in `headers`, so this reads `rawHeaders`. */
export function rawHeaderValues(request: IncomingMessage, name: string): string[] {
  const values: string[] = []
  for (let i = 0; i + 1 < request.rawHeaders.length; i += 2) {
    if (request.rawHeaders[i]?.toLowerCase() === name) values.push(request.rawHeaders[i + 1] ?? '')
  }
  return values
}

/** The path of a request target, without query or fragment. */
export function readPath(target: string): string {
  const end = target.search(/[?#]/)
  return end === -1 ? target : target.slice(0, end)
}
