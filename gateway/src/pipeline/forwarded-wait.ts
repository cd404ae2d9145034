import type { IncomingMessage } from 'node:http'
import type { Problem } from '@payments/contracts/grammar/problem'
import type { Response } from 'express'
import type { CallDeadline } from './call-deadline.ts'
import type { ForwardedCall } from './request-context.ts'

/** The response of a wait may begin long after its request was authorized. */
export interface ForwardedWait {
  /** Takes the function that ends the call with a problem. Returns the function that removes it. */
  readonly register: (end: (problem: Problem) => void) => () => void
  /** Authorizes the request again, before its response begins. Throws as the first authorization does. */
  readonly authorizeAgain: () => Promise<unknown>
}

/** A wait ends when its client leaves, so that it occupies no permit, and when the process drains. */
export function endWithClient(
  { register }: ForwardedWait,
  deadline: CallDeadline,
  response: Response,
  call: ForwardedCall,
) {
  const remove = register((problem) => deadline.end(problem))
  const leave = () => {
    if (!response.writableFinished) deadline.end()
  }
  response.once('close', leave)
  call.whenSettled(() => {
    remove()
    response.off('close', leave)
  })
}

/** Authorizes a wait again before its response begins: a caller that lost its permission learns nothing new. */
export async function authorizeResponse(source: IncomingMessage, { authorizeAgain }: ForwardedWait): Promise<void> {
  try {
    await authorizeAgain()
  } catch (error) {
    source.resume()
    throw error
  }
  if (source.destroyed && !source.complete) {
    throw Object.assign(new Error('the response of the service broke off'), { code: 'ECONNRESET' })
  }
}
