import { useSyncExternalStore } from 'react'

/**
 * **What it does.** Knows whether the platform responds, so that a page says when it does not, and reads everything
 * again once it does.
 *
 * **Participants.** `query-client.ts`, `changes.ts` and `load-page.ts` report each response, and each request without
 * one. The browser reports that it lost its network. After a failure, a probe requests the shell, and decides:
 * `navigator.onLine` alone is wrong for a platform on the same machine.
 *
 * **Guarantees.** A lost connection is probed until the platform responds. Listeners are called once per recovery.
 */
const probeTimeoutMs = 10_000
const firstPauseMs = 500
const pauseMsMax = 4_000

interface Connection {
  readonly isLost: boolean
  /** The last response before the loss. */
  readonly lastResponseAt: Date
}

let connection: Connection = { isLost: false, lastResponseAt: new Date() }
let lastResponseMs = Date.now()
/** Of the probe that runs: whether it has decided. */
let decision: Promise<void> | undefined
/** Ends the pause of a probe, such as when the browser has a network again. */
let wake = () => {}
const listeners = new Set<() => void>()
const recoveryListeners = new Set<() => void>()

window.addEventListener('offline', () => void reportFailure())
window.addEventListener('online', () => wake())

/** A response has arrived, of any status. */
export function reportResponse(): void {
  lastResponseMs = Date.now()
  setLost(false)
}

/** A request got no response. Resolves once a probe has decided what that means. */
export function reportFailure(): Promise<void> {
  if (decision !== undefined) return decision
  const { promise, resolve } = Promise.withResolvers<void>()
  decision = promise
  void probeUntilServed(resolve).finally(() => (decision = undefined))
  return promise
}

/** Calls `listener` after each recovery. Returns how to end that. */
export function onRecovery(listener: () => void): () => void {
  recoveryListeners.add(listener)
  return () => recoveryListeners.delete(listener)
}

export const useConnection = (): Connection => useSyncExternalStore(subscribe, () => connection)

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

async function probeUntilServed(onDecision: () => void): Promise<void> {
  for (let pauseMs = firstPauseMs; !(await isServed()); pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
    setLost(true)
    onDecision()
    const waking = new AbortController()
    wake = () => waking.abort()
    await pause(pauseMs, waking.signal)
    // Another request got a response meanwhile.
    if (!connection.isLost) return
  }
  reportResponse()
  onDecision()
}

/** Whether the gateway serves the shell, which needs no credential. */
export async function isServed(): Promise<boolean> {
  try {
    const { ok } = await fetch('/console', {
      method: 'HEAD',
      cache: 'no-store',
      signal: AbortSignal.timeout(probeTimeoutMs),
    })
    return ok
  } catch {
    return false
  }
}

function setLost(isLost: boolean): void {
  if (connection.isLost === isLost) return
  connection = { isLost, lastResponseAt: new Date(lastResponseMs) }
  if (!isLost) wake()
  for (const listener of isLost ? listeners : [...listeners, ...recoveryListeners]) listener()
}

/** Ends earlier with the signal. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    function done() {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done)
  })
