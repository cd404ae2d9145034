/**
 * **What it does.** Waits for a sign-in in another tab, so that a page and the text in its forms stay as they are. A
 * call that got 401 waits here, and is sent again after the sign-in.
 *
 * **Participants.** `action.ts` and `query-client.ts` report a 401. `session-dialog.tsx` offers the sign-in. The page
 * `/console/signed-in`, in the other tab, announces the sign-in on the channel.
 *
 * **Guarantees.** All waiting calls share one dialog. A sign-out, a switch of tenant or the sign-in of another person
 * in one tab reaches the other tabs of the browser.
 */
export type Reason = 'signed-out' | 'step-up'

interface Waiting {
  readonly reason: Reason
  readonly signedIn: Promise<boolean>
  readonly settle: (isSignedIn: boolean) => void
}

let waiting: Waiting | undefined
const listeners = new Set<() => void>()
const channel = new BroadcastChannel('console-session')

const identityPrefix = 'identity '
type Message = 'signed-in' | 'session-changed' | `${typeof identityPrefix}${string}`

channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
  if (data === 'signed-in') end(true)
})

/** Person and tenant of this document, once they are read. */
let ownIdentity: string | undefined

/** Sends person and tenant of this document to the other tabs: the session of the browser is theirs too. */
export function announceIdentity(identity: string): void {
  ownIdentity = identity
  announce(`${identityPrefix}${identity}`)
}

/** Calls `listener` after a sign-out, a switch of tenant or the sign-in of another person in another tab. */
export function onSessionChange(listener: () => void): void {
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    const identity = data.startsWith(identityPrefix) ? data.slice(identityPrefix.length) : undefined
    const isOther = identity !== undefined && ownIdentity !== undefined && identity !== ownIdentity
    if (data === 'session-changed' || isOther) listener()
  })
}

/** Resolves with whether the person signed in. False: they closed the dialog. */
export function requireSignIn(reason: Reason): Promise<boolean> {
  if (waiting !== undefined) return waiting.signedIn
  const { promise, resolve } = Promise.withResolvers<boolean>()
  waiting = { reason, signedIn: promise, settle: resolve }
  notify()
  return promise
}

export function end(isSignedIn: boolean): void {
  const ended = waiting
  waiting = undefined
  ended?.settle(isSignedIn)
  notify()
}

export const reasonOfWait = (): Reason | undefined => waiting?.reason

export function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Sends a message to the other tabs. This tab does not receive it. */
export const announce = (message: Message): void => channel.postMessage(message)

function notify(): void {
  for (const listener of listeners) listener()
}
