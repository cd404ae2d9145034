import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { problemsByCode } from '@payments/contracts/edges/contracts'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'

const bytesMax = 16 * 1024

export function isProblem(headers: IncomingHttpHeaders): boolean {
  return headers['content-type']?.startsWith('application/problem+json') === true
}

/** Reads the code of a problem response for the audit record. */
export function readProblemCode(
  source: IncomingMessage,
  headers: IncomingHttpHeaders,
  done: (code: string) => void,
): void {
  if (!isProblem(headers)) return
  const chunks: Buffer[] = []
  let bytes = 0
  source.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= bytesMax) chunks.push(chunk)
  })
  // Before the pipe ends the response: the end of the response writes the audit record.
  source.prependOnceListener('end', () => {
    const code = codeIn(chunks)
    if (code !== undefined) done(code)
  })
}

/** Reads a problem response to its end and rejects with the problem, or with the error that broke the response off. */
export async function rejectWithProblem(source: IncomingMessage): Promise<never> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of source as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes <= bytesMax) chunks.push(chunk)
  }
  const retryAfter = source.headers['retry-after']
  const options = retryAfter === undefined ? {} : { retryAfterSeconds: Number(retryAfter) }
  throw new Problem(problemsByCode.get(codeIn(chunks) ?? '') ?? commonProblems.internal_error, options)
}

function codeIn(chunks: readonly Buffer[]): string | undefined {
  return /"code":"([a-z0-9_]{1,100})"/.exec(Buffer.concat(chunks).toString('utf8'))?.[1]
}
