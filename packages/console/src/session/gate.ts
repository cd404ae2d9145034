import { leave, signedOutPage } from './sign-in.ts'

/**
 * **What it does.** Keeps a page and its forms while the session changes in another tab. A call that got 401 waits
 * here, and is sent again after a sign-in. Stores whether the session is for another tenant.
 *
 * **Participants.** `action.ts` and `query-client.ts` report a 401, `self.ts` the tenant of the session. Two dialogs
 * offer the sign-in and the switch back. The page `/console/signed-in` announces the sign-in on the channel.
 *
 * **Guarantees.** All waiting calls share one dialog. A change of the session in one tab reaches the other tabs, and a
 * sign-out ends them. Before that, each call names the tenant of its tab (`api.ts`).
 *
 * **Not guaranteed.** Before that, a call may act as another person of the same tenant.
 */
type Reason = 'signed-out' | 'step-up'

interface PendingSignIn {
  readonly reason: Reason
  readonly signedIn: Promise<boolean>
  readonly settle: (isSignedIn: boolean) => void
}

let pendingSignIn: PendingSignIn | undefined
const listeners = new Set<() => void>()
const channel = new BroadcastChannel('console-session')

const identityPrefix = 'identity '
type Message = 'signed-in' | 'signed-out' | 'session-changed' | `${typeof identityPrefix}${string}`

channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
  if (data === 'signed-in') end(true)
  if (data === 'signed-out') leave(signedOutPage)
})

/** Person and tenant of this document, once they are read. */
let ownIdentity: string | undefined

/** The name of the tenant of the session, while this document is for another tenant. */
let sessionTenant: string | undefined

/** Whether the person has closed the dialog about that. The next change that they make opens the dialog again. */
let isTenantDialogClosed = false

/** The tenant that the dialog names; undefined while there is nothing to show. */
export const shownSessionTenant = (): string | undefined => (isTenantDialogClosed ? undefined : sessionTenant)

/** Undefined: the session is for the tenant of this document. */
export function reportSessionTenant(name: string | undefined): void {
  if (name === sessionTenant) return
  sessionTenant = name
  setTenantDialogClosed(false)
}

export function setTenantDialogClosed(isClosed: boolean): void {
  isTenantDialogClosed = isClosed
  notify()
}

let hasSessionEnded = false

export function reportSessionEnd(hasEnded: boolean): void {
  if (hasSessionEnded === hasEnded) return
  hasSessionEnded = hasEnded
  notify()
}

/** Resolves once the document has a session, or the signal is aborted. */
export function sessionOpened(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (hasSessionEnded && !signal.aborted) return
      unsubscribe()
      resolve()
    }
    const unsubscribe = subscribe(check)
    signal.addEventListener('abort', check)
    check()
  })
}

/** Sends person and tenant of this document to the other tabs: the session of the browser is theirs too. */
export function announceIdentity(identity: string): void {
  ownIdentity = identity
  announce(`${identityPrefix}${identity}`)
}

/**
 * Calls `listener` after a switch of tenant or the sign-in of another person in another tab; and after each
 * message while the session has ended or is for another tenant, because the message may end that.
 */
export function onSessionChange(listener: () => void): void {
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    const identity = data.startsWith(identityPrefix) ? data.slice(identityPrefix.length) : undefined
    const isOther = identity !== undefined && ownIdentity !== undefined && identity !== ownIdentity
    if (data === 'session-changed' || isOther || hasSessionEnded || sessionTenant !== undefined) listener()
  })
}

/** Resolves with whether the person signed in. False: they closed the dialog. */
export function requireSignIn(reason: Reason): Promise<boolean> {
  if (pendingSignIn !== undefined) return pendingSignIn.signedIn
  const { promise, resolve } = Promise.withResolvers<boolean>()
  if (reason === 'signed-out') sessionTenant = undefined
  pendingSignIn = { reason, signedIn: promise, settle: resolve }
  notify()
  return promise
}

export function end(isSignedIn: boolean): void {
  const ended = pendingSignIn
  pendingSignIn = undefined
  ended?.settle(isSignedIn)
  notify()
}

export const signInReason = (): Reason | undefined => pendingSignIn?.reason

export function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Sends a message to the other tabs. This tab does not receive it. */
export const announce = (message: Message): void => channel.postMessage(message)

function notify(): void {
  for (const listener of listeners) listener()
}
