import type { IncomingMessage } from 'node:http'
import type { Problem } from '@payments/contracts/grammar/problem'
import type { Response } from 'express'
import type { CallDeadline } from './call-deadline.ts'

/**
 * A request at its service. The call settles once, however the call ends, by the forwarding deadline at the latest.
 */
export class ForwardedCall {
  /**
   * Status of the service's response, or of the problem in its place. The audit record has it when the client left.
   */
  status: number | undefined
  code: string | null = null
  /** The tenant that the service named, for a request without a credential. */
  recordedTenantId: string | null = null
  /** The user of that tenant whom the service named. */
  recordedUserId: string | null = null
  /** The response reveals a secret and exceeds the limit of its bytes. */
  isTooLarge = false
  /** The gateway closed the client's connection because the response of the service broke off. */
  isBroken = false
  #isSettled = false
  readonly #listeners: (() => void)[] = []

  settle(): void {
    if (this.#isSettled) return
    this.#isSettled = true
    for (const listener of this.#listeners) listener()
  }

  whenSettled(listener: () => void): void {
    if (this.#isSettled) listener()
    else this.#listeners.push(listener)
  }
}

/** Calls `done` once: when the response is closed, and the call to the service, if any, is settled. */
export function whenRequestEnds(
  response: Response,
  current: () => { readonly call?: ForwardedCall },
  done: () => void,
): void {
  response.on('close', () => {
    const { call } = current()
    if (call === undefined) done()
    else call.whenSettled(done)
  })
}

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
