import {
  AuthenticationError,
  PaymentServiceConnectionError,
  PaymentServiceError,
  RateLimitError,
} from '@payments/client/errors'
import { focusManager } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api } from './api.ts'
import { pause, reportFailure, reportResponse } from './connection.ts'
import { sessionOpened } from './gate.ts'
import { hasSession, refreshAll } from './query-client.ts'
import { pollTopic, readAgain } from './reads.ts'
import { usePermitted, useSelf } from './self.ts'

/**
 * **What it does.** Keeps what a page shows up to date. The first member of the key of a query is its topic. A topic is
 * read again as soon as the API reports a change of it, or else every few seconds while the window is visible.
 *
 * **Participants.** Of the open tabs of a browser in one tenant, the one that holds the lock waits at the API, and
 * sends the topics to the others on a channel. Beyond the limit of waits, the tab polls instead.
 *
 * **Guarantees.** A reported topic is read at most once per `readMsMin`, and after its last change, without a wait
 * `pollMsMax` later. Without a cursor, as after an error, all are read again.
 */
const reportedTopics = ['deliveries', 'dead_letters', 'events', 'tasks', 'subscriptions']
/** The outcome of a task follows its deliveries, so it changes without a report of the task too. */
const polledTopics = ['audit', 'communications', 'invitations', 'outbox', 'tasks', 'transactions']

/** Between two reads of a polled topic. */
const refreshMs = 5_000

/** A change right after a read is on the screen within a second. */
const readMsMin = 700
const waitSeconds = 20
const afterErrorMs = 5_000
const pollMsMax = 15_000
/** Between two waits after several failed ones. */
const pollsMax = 8
/** Honoured up to an hour: a timer of a browser has a limit. */
const retryAfterMsMax = 3_600_000

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

/** Keeps queries of a topic up to date while the component is shown. `isChanging`: whether to poll. */
export function useChanges(topic: string, isChanging = true): void {
  const isPermitted = usePermitted('readChanges')
  const { tenant } = useSelf()
  const isReported = isPermitted && reportedTopics.includes(topic)
  useEffect(() => (isReported ? followReports(tenant.id) : undefined), [isReported, tenant.id])
  const isPolled = isChanging && polledTopics.includes(topic)
  useEffect(() => {
    if (!isPolled) return
    const timer = setInterval(() => {
      if (focusManager.isFocused()) pollTopic(topic)
    }, refreshMs)
    return () => clearInterval(timer)
  }, [isPolled, topic])
}

/** The components of the page that follow reports share one wait. */
let followers = 0
let endWait = () => {}

/** Returns how to end it. */
function followReports(tenantId: string): () => void {
  if (followers === 0) endWait = startWait(tenantId)
  followers += 1
  return () => {
    followers -= 1
    if (followers === 0) endWait()
  }
}

function startWait(tenantId: string): () => void {
  const end = new AbortController()
  const name = `console-changes ${tenantId}`
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
}

async function waitForChanges(channel: BroadcastChannel, signal: AbortSignal): Promise<void> {
  let failedWaits = 0
  let pollsLeft = 0
  while (!signal.aborted) {
    const after = cursor
    const isWait = after !== undefined && pollsLeft === 0
    try {
      const args = { wait_seconds: isWait ? waitSeconds : 0, ...(after === undefined ? {} : { after }) }
      const { topics, next_cursor } = await api.readChanges(args, { signal, attemptsMax: 1 })
      cursor = next_cursor
      reportResponse()
      report(channel, after === undefined ? reportedTopics : topics)
      if (isWait) failedWaits = 0
      else pollsLeft = Math.max(0, pollsLeft - 1)
      // A server at its limit of waits responds at once.
      if (pollsLeft > 0) await pause(addJitter(pollMsMax), signal)
      else if (topics.length === 0) await pause(readMsMin, signal)
    } catch (error) {
      if (signal.aborted) return
      if (isWait) {
        failedWaits += 1
        pollsLeft = Math.min(2 ** (failedWaits - 1), pollsMax)
      }
      const ms = await msAfter(error, isWait && failedWaits === 1)
      await sessionOpened(signal)
      await pause(ms, signal)
    }
  }
}

/** How long to pause after an error. A limit leaves the cursor as it is. */
async function msAfter(error: unknown, isFirst: boolean): Promise<number> {
  if (!(error instanceof RateLimitError)) cursor = undefined
  if (error instanceof PaymentServiceConnectionError) {
    void reportFailure()
    return afterErrorMs
  }
  if (error instanceof AuthenticationError && (await hasSession())) await refreshAll().catch(() => {})
  const retryAfterMs = error instanceof PaymentServiceError ? (error.retryAfterMs ?? 0) : 0
  return Math.max(addJitter(isFirst ? afterErrorMs : pollMsMax), Math.min(retryAfterMs, retryAfterMsMax))
}

/** Consoles that a limit or a restart rejected together do not return together. */
const addJitter = (msMax: number) => msMax * (1 - Math.random() / 3)

function report(channel: BroadcastChannel, topics: readonly string[]): void {
  if (topics.length === 0) return
  schedule(topics)
  channel.postMessage(topics)
}
