import { AuthenticationError, PaymentServiceConnectionError } from '@payments/client/errors'
import { useEffect } from 'react'
import { api } from './api.ts'
import { reportFailure, reportResponse } from './connection.ts'
import { readAgain } from './lists.ts'
import { hasSession, refreshAll } from './query-client.ts'
import { useDenial, useSelf } from './self.ts'

/**
 * **What it does.** Reads lists again as soon as the API reports a change of their topic. The first member of the key
 * of a query is its topic.
 *
 * **Participants.** Of the open tabs of a browser that show the same tenant, the one that holds the lock waits at the
 * API, and sends the topics to the others on a channel.
 *
 * **Guarantees.** A list is read at most once per `readMsMin`, and after the last change. Without a cursor, as in a new
 * document and after a failed wait, all topics are read again once the API has given one: they may have changed before.
 */
const topicNames = ['deliveries', 'dead_letters', 'events', 'tasks', 'subscriptions'] as const

/** A change right after a read is on the screen within a second. */
const readMsMin = 700
const waitSeconds = 20
const afterFailureMs = 5_000

const changed = new Set<string>()
let reading: ReturnType<typeof setTimeout> | undefined
/** The page that opens reads its lists itself. */
let lastReadAt = Date.now()
/** Of the last response. The next page of this tab continues from it. */
let cursor: string | undefined

function schedule(topics: readonly string[]): void {
  for (const topic of topics) changed.add(topic)
  if (changed.size === 0) return
  reading ??= setTimeout(read, Math.max(0, lastReadAt + readMsMin - Date.now()))
}

function read(): void {
  const topics = new Set(changed)
  changed.clear()
  reading = undefined
  lastReadAt = Date.now()
  void readAgain(({ queryKey }) => topics.has(String(queryKey[0])))
}

/** Keeps the lists of the page up to date while it is open. */
export function useChanges(): void {
  const isPermitted = useDenial()('readChanges') === undefined
  const { tenant } = useSelf()
  useEffect(() => {
    if (!isPermitted) return
    const end = new AbortController()
    const name = `console-changes ${tenant.id}`
    const channel = new BroadcastChannel(name)
    channel.addEventListener('message', ({ data }: MessageEvent<readonly string[]>) => schedule(data))
    navigator.locks
      .request(name, { signal: end.signal }, () => waitForChanges(channel, end.signal))
      .catch((error: unknown) => {
        if (!end.signal.aborted) throw error
      })
    return () => {
      end.abort()
      channel.close()
    }
  }, [isPermitted, tenant.id])
}

async function waitForChanges(channel: BroadcastChannel, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const after = cursor
      const args = { wait_seconds: waitSeconds, ...(after === undefined ? {} : { after }) }
      const { topics, next_cursor } = await api.readChanges(args, { signal, attemptsMax: 1 })
      cursor = next_cursor
      reportResponse()
      report(channel, after === undefined ? topicNames : topics)
      // A server at its limit of waits responds at once.
      if (topics.length === 0) await pause(readMsMin, signal)
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof PaymentServiceConnectionError) void reportFailure()
      const isSignedOut = error instanceof AuthenticationError
      if (isSignedOut && (await hasSession())) await refreshAll().catch(() => {})
      await pause(afterFailureMs, signal)
      cursor = undefined
    }
  }
}

function report(channel: BroadcastChannel, topics: readonly string[]): void {
  if (topics.length === 0) return
  schedule(topics)
  channel.postMessage(topics)
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    function done() {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done)
  })
